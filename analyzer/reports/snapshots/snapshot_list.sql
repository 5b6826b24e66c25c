-- SPDX-License-Identifier: MIT
-- Snapshots of a run.

-- :name all
SELECT s.snapshot_id, s.process_id, p.pid, s.number, s.label, s.taken_by, s.time_ns,
	s.live_count, s.live_bytes, s.alloc_count, s.alloc_bytes, s.rss_bytes
FROM snapshots s JOIN processes p USING (process_id)
WHERE s.run_id = :run ORDER BY p.started_ns, s.process_id, s.snapshot_id;

-- The processes, with what is needed to tell which one a moment belongs to.
-- :name processes
SELECT p.process_id, p.pid, p.process_id = r.peak_process_id AS is_peak,
	(SELECT COUNT(*) FROM processes WHERE run_id = :run) AS process_count
FROM process p JOIN run r USING (run_id)
WHERE p.run_id = :run ORDER BY p.started_ns, p.process_id;

-- Whether the sites' final numbers are this process's own, in a run with several: no other
-- process allocated on its paths, and its lanes have all of its allocations.
-- :name knows_exit
SELECT NOT EXISTS (
		SELECT 1 FROM path_lane m JOIN lane ml USING (lane_id)
		WHERE ml.process_id = :process AND m.alloc_count > 0 AND EXISTS (
			SELECT 1 FROM path_lane o JOIN lane ol USING (lane_id)
			WHERE o.path_id = m.path_id AND o.alloc_count > 0
				AND ol.process_id <> :process))
	AND (SELECT COALESCE(SUM(l.alloc_count), 0)
	FROM path_lane l JOIN lane USING (lane_id)
		WHERE lane.process_id = :process)
	= (SELECT alloc_count FROM process WHERE process_id = :process) AS is_known;

-- Other runs of the file with a snapshot of this label.
-- :name elsewhere
SELECT s.run_id, r.label FROM snapshots s JOIN runs r USING (run_id)
WHERE s.run_id <> :run AND s.label = :label ORDER BY s.run_id DESC LIMIT 1;
