-- SPDX-License-Identifier: MIT
-- Live memory of one process over its snapshots: of the one with the run's peak.

-- :name process
SELECT p.process_id, p.pid, p.live_bytes_at_exit AS live_bytes,
	IFNULL(p.started_ns, 0) AS started_ns,
	IFNULL(p.started_ns, 0) + IFNULL(p.wall_ns, 0) AS ended_ns,
	(SELECT COUNT(*) FROM process o WHERE o.run_id = :run AND o.alloc_count > 0) AS
	process_count
FROM process p LEFT JOIN run r USING (run_id) WHERE p.run_id = :run
ORDER BY p.process_id = r.peak_process_id DESC, p.process_id LIMIT 1;

-- :name moments
SELECT snapshot_id, label, time_ns, live_bytes FROM snapshot
WHERE run_id = :run AND process_id = :process ORDER BY time_ns, snapshot_id;

-- :name parts
SELECT s.path_id, s.file, s.line, n.live_bytes FROM snapshot_site n JOIN site s USING (site_id)
WHERE n.process_id = :process AND n.snapshot_id <= :snapshot AND n.until_id > :snapshot
	AND n.live_bytes > 0;
