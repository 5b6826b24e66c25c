-- SPDX-License-Identifier: MIT
-- Snapshots of a run.

-- :name all
SELECT s.snapshot_id, s.process_id, p.pid, s.number, s.label, s.taken_by, s.time_ns,
	s.live_count, s.live_bytes, s.alloc_count, s.alloc_bytes, s.rss_bytes
FROM snapshots s JOIN processes p USING (process_id)
WHERE s.run_id = :run ORDER BY p.started_ns, s.process_id, s.snapshot_id;

-- What is needed to choose the process that a moment belongs to. elsewhere: another
-- process of the run allocated, too, so that the run's final numbers are not its own.
-- :name processes
SELECT p.process_id, p.pid, p.process_id = r.peak_process_id,
	EXISTS (SELECT 1 FROM processes o WHERE o.run_id = p.run_id
		AND o.process_id <> p.process_id AND COALESCE(o.alloc_count, 1) > 0),
	p.wall_ns, p.started_ns, (SELECT COUNT(*) FROM processes WHERE run_id = :run)
FROM process p JOIN run r USING (run_id)
WHERE p.run_id = :run ORDER BY p.started_ns, p.process_id;

-- Other runs of the file with a snapshot of this label.
-- :name elsewhere
SELECT s.run_id, r.label FROM snapshots s JOIN runs r USING (run_id)
WHERE s.run_id <> :run AND s.label = :label ORDER BY s.run_id DESC LIMIT 1;
