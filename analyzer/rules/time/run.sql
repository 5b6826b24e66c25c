-- SPDX-License-Identifier: MIT
-- What the run's time was spent on.

-- A run with one lane has no path_lane. What a forked child runs in was entered by its
-- parent: its roots have no calls, but time.
-- :name roots
SELECT l.process_id, SUM(s.total_ns) AS lane_ns
FROM path p JOIN path_lane s USING (path_id) JOIN lane l USING (lane_id)
WHERE p.run_id = :run AND p.parent_path_id IS NULL
GROUP BY s.lane_id HAVING SUM(s.calls) > 0 OR SUM(s.total_ns) > 0 ORDER BY l.process_id;

-- :name one_root
SELECT l.process_id, (SELECT SUM(p.total_ns) FROM path p
	WHERE p.run_id = :run AND p.parent_path_id IS NULL) AS lane_ns
FROM lane l WHERE l.run_id = :run
	AND NOT EXISTS (SELECT 1
	FROM lane m WHERE m.run_id = :run AND m.lane_id <> l.lane_id);

-- :name hooks
SELECT SUM(raw_self_ns - self_ns) AS hooks_ns FROM functions WHERE run_id = :run;

-- :name long_calls
SELECT SUM(self_ns) AS self_ns
	FROM functions WHERE run_id = :run AND self_ns >= :least * calls;

-- :name samples
SELECT r.process_id, p.started_ns, r.time_ns, r.cpu_percent, r.cpu_wait_ns, r.rss_bytes,
	r.minor_faults, r.major_faults, r.thread_count
FROM resources r JOIN processes p ON p.process_id = r.process_id
WHERE r.run_id = :run ORDER BY r.process_id, r.time_ns;

-- :name lives
SELECT process_id, wall_ns FROM processes WHERE run_id = :run ORDER BY process_id;

-- :name threads
SELECT process_id, started_ns, started_ns + wall_ns AS ended_ns
	FROM threads WHERE run_id = :run
ORDER BY process_id;

-- :name function_lanes
SELECT l.process_id, SUM(s.self_ns) AS self_ns
FROM path h JOIN path p ON IFNULL(p.host_path_id, p.path_id) = h.path_id
JOIN path_lane s ON s.path_id = p.path_id JOIN lane l USING (lane_id)
WHERE p.run_id = :run AND h.run_id = :run AND h.function_id = :id
GROUP BY s.lane_id ORDER BY l.process_id;

-- :name path_lanes
SELECT l.process_id, s.total_ns AS self_ns FROM path_lane s JOIN lane l USING (lane_id)
WHERE l.run_id = :run AND s.path_id = :id ORDER BY l.process_id;
