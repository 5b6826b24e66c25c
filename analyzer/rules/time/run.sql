-- SPDX-License-Identifier: MIT
-- What the run's time was spent on.

-- A run with one lane has no path_lane. What a forked child runs in was entered by its
-- parent: its roots have no calls, but time.
-- :name roots
SELECT l.process_id, SUM(s.total_ns) AS lane_ns, SUM(s.ready_ns) AS ready_ns
FROM path p JOIN path_lane s USING (path_id) JOIN lane l USING (lane_id)
WHERE p.run_id = :run AND p.parent_path_id IS NULL
GROUP BY s.lane_id HAVING SUM(s.calls) > 0 OR SUM(s.total_ns) > 0 ORDER BY l.process_id;

-- :name one_root
SELECT l.process_id, SUM(p.total_ns) AS lane_ns, SUM(p.ready_ns) AS ready_ns
FROM lane l JOIN path p ON p.run_id = :run AND p.parent_path_id IS NULL
WHERE l.run_id = :run AND NOT EXISTS (SELECT 1
	FROM lane m WHERE m.run_id = :run AND m.lane_id <> l.lane_id)
GROUP BY l.lane_id;

-- :name hooks
SELECT SUM(raw_self_ns - self_ns) AS hooks_ns FROM functions WHERE run_id = :run;

-- :name split
SELECT TOTAL(CASE WHEN name IN ('switches_by_rseq', 'switches_by_perf') THEN value END) AS seen,
	TOTAL(CASE WHEN name IN ('unsplit_processes', 'switches_unseen') THEN value END) AS unseen
FROM trust WHERE run_id = :run;

-- :name samples
SELECT r.process_id, p.started_ns, r.time_ns, r.cpu_percent, r.rss_bytes,
	r.minor_faults, r.major_faults
FROM resources r JOIN processes p ON p.process_id = r.process_id
WHERE r.run_id = :run ORDER BY r.process_id, r.time_ns;

-- :name lives
SELECT process_id, wall_ns FROM processes WHERE run_id = :run ORDER BY process_id;

-- :name threads
SELECT process_id, wall_ns, cpu_ns, ready_ns, blocked_ns FROM threads
WHERE run_id = :run AND cpu_ns IS NOT NULL;

-- What each function computed itself, of the run: the longest thread's share in each
-- process, added up. Four threads that do the same for a second hold one second of the run.
-- Kept as the table held; of a run with one lane it is empty.
-- :name held
SELECT function_id, SUM(ns) AS ns FROM (
	SELECT function_id, process_id, MAX(ns) AS ns FROM (
		SELECT h.function_id, l.process_id,
			SUM(s.self_ns - s.self_ready_ns - s.self_blocked_ns) AS ns
		FROM path p JOIN path h ON h.path_id = IFNULL(p.host_path_id, p.path_id)
		JOIN path_lane s ON s.path_id = p.path_id JOIN lane l USING (lane_id)
		WHERE p.run_id = :run GROUP BY h.function_id, l.process_id, s.lane_id)
	GROUP BY function_id, process_id)
GROUP BY function_id;

-- :name path_lanes
SELECT l.process_id, s.total_ns - s.ready_ns AS self_ns FROM path_lane s JOIN lane l USING (lane_id)
WHERE l.run_id = :run AND s.path_id = :id ORDER BY l.process_id;
