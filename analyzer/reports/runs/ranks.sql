-- SPDX-License-Identifier: MIT
-- What each rank of a job took.

-- :name of_run
-- One row: a rank that is a run.
SELECT r.rank, r.run_id, r.wall_ns,
	(SELECT SUM(f.self_ns) FROM functions f WHERE f.run_id = r.run_id) AS self_ns,
	(SELECT SUM(w.waited) FROM (SELECT MAX(cpu_wait_ns) AS waited FROM resources
		WHERE run_id = r.run_id GROUP BY process_id) w) AS cpu_wait_ns,
	(SELECT SUM(f.calls) FROM functions f WHERE f.run_id = r.run_id) AS calls,
	r.alloc_count, r.alloc_bytes, r.peak_bytes
FROM runs r WHERE r.run_id = :run;

-- :name of_processes
-- A row for each rank: its processes are of one run.
SELECT p.rank, p.run_id, MAX(p.wall_ns) AS wall_ns, SUM(own.self_ns) AS self_ns,
	SUM(waits.waited) AS cpu_wait_ns, SUM(own.calls) AS calls,
	SUM(p.alloc_count) AS alloc_count, SUM(p.alloc_bytes) AS alloc_bytes,
	MAX(p.peak_bytes) AS peak_bytes
FROM processes p
LEFT JOIN (SELECT l.process_id, SUM(s.self_ns) AS self_ns,
		SUM(CASE WHEN t.kind = 0 THEN s.calls END) AS calls
	FROM path t JOIN path_lane s USING (path_id) JOIN lane l USING (lane_id)
	WHERE t.run_id = :run GROUP BY l.process_id) own USING (process_id)
LEFT JOIN (SELECT process_id, MAX(cpu_wait_ns) AS waited FROM resources
	WHERE run_id = :run GROUP BY process_id) waits USING (process_id)
WHERE p.run_id = :run AND p.rank IS NOT NULL
GROUP BY p.rank ORDER BY p.rank;

-- :name run
SELECT job, rank, rank_count FROM runs WHERE run_id = :run;
