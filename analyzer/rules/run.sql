-- SPDX-License-Identifier: MIT
-- What the run's time was spent on.

-- What the instrumented code of each thread took, without waits for a CPU; kept as the
-- table root_lane. A run with one lane has no path_lane. What a forked child runs in was
-- entered by its parent: its roots have no calls, but time.
-- :name root_lane
SELECT l.process_id, s.lane_id, SUM(s.total_ns - s.ready_ns) AS ns, SUM(s.ready_ns) AS ready_ns
FROM path p JOIN path_lane s USING (path_id) JOIN lane l USING (lane_id)
WHERE p.run_id = :run AND p.parent_path_id IS NULL
GROUP BY s.lane_id HAVING SUM(s.calls) > 0 OR SUM(s.total_ns) > 0
UNION ALL
SELECT l.process_id, l.lane_id, SUM(p.total_ns - p.ready_ns), SUM(p.ready_ns)
FROM lane l JOIN path p ON p.run_id = :run AND p.parent_path_id IS NULL
WHERE l.run_id = :run AND NOT EXISTS (SELECT 1
		FROM lane m WHERE m.run_id = :run AND m.lane_id <> l.lane_id)
	AND NOT EXISTS (SELECT 1 FROM path_lane s WHERE s.path_id = p.path_id)
GROUP BY l.lane_id;

-- What a process lived is what its threads did: the recorder's own start and end, which on a
-- busy machine take long, are before and after. The longest thread waited for a CPU in
-- other code, too.
-- :name lanes
WITH lived AS (SELECT process_id, MAX(started_ns + wall_ns) - MIN(started_ns) AS ns
	FROM threads WHERE run_id = :run GROUP BY process_id),
longest AS (SELECT r.*, MAX(0, p.wall_ns - COALESCE(v.ns, p.wall_ns)) AS outside_ns
	FROM root_lane r JOIN processes p USING (process_id) LEFT JOIN lived v USING (process_id)
	ORDER BY r.ns DESC, r.lane_id DESC LIMIT 1)
SELECT COUNT(*) AS lanes, TOTAL(ns) AS lanes_ns, TOTAL(ready_ns) AS ready_ns,
	(SELECT TOTAL(ns) FROM (SELECT MAX(ns) AS ns FROM root_lane GROUP BY process_id))
	AS longest_sum_ns, MAX(ns) AS longest_ns,
	(SELECT outside_ns + MAX(ready_ns, (SELECT TOTAL(t.ready_ns) FROM threads t
		WHERE t.run_id = :run AND t.lane_id = l.lane_id)) FROM longest l)
	AS longest_ready_ns,
	(SELECT TOTAL(raw_self_ns - self_ns) FROM functions WHERE run_id = :run) AS hooks_ns,
	(SELECT TOTAL(value) FROM trust WHERE run_id = :run
		AND name IN ('switches_by_rseq', 'switches_by_perf')) AS seen,
	(SELECT TOTAL(value) FROM trust WHERE run_id = :run
		AND name IN ('unsplit_processes', 'switches_unseen')) AS unseen,
	(SELECT TOTAL(COALESCE(v.ns, p.wall_ns)) FROM processes p LEFT JOIN lived v
		USING (process_id) WHERE p.process_id IN (SELECT process_id FROM root_lane))
	AS lived_ns
FROM root_lane;

-- Of the processes in which instrumented functions were called. A shell that waits for the
-- program is none. busy: of the threads that wished for a CPU for at least half of what their
-- process lived, so many were there at a time, for at least half of the time in which any
-- thread was: processes that follow each other do not add up.
-- :name threads
WITH asked AS (SELECT t.*, t.cpu_ns + t.ready_ns >= p.wall_ns / 2 AS is_busy
	FROM threads t JOIN processes p USING (process_id)
	WHERE t.run_id = :run AND t.cpu_ns IS NOT NULL
		AND t.process_id IN (SELECT process_id FROM root_lane)),
changes AS (SELECT started_ns AS at, 1 AS threads, is_busy FROM asked
	UNION ALL SELECT started_ns + wall_ns, -1, -is_busy FROM asked),
stretches AS (SELECT LEAD(at) OVER w - at AS ns, SUM(threads) OVER w AS threads,
		SUM(is_busy) OVER w AS busy
	FROM changes WINDOW w AS (ORDER BY at ROWS UNBOUNDED PRECEDING)),
levels AS (SELECT busy, SUM(SUM(ns)) OVER (ORDER BY busy DESC) AS ns
	FROM stretches WHERE threads > 0 GROUP BY busy)
SELECT COUNT(*) AS count, TOTAL(wall_ns) AS wall_ns, TOTAL(cpu_ns) AS cpu_ns,
	TOTAL(ready_ns) AS ready_ns, TOTAL(blocked_ns) AS blocked_ns,
	(SELECT MAX(busy) FROM levels WHERE 2 * ns >= (SELECT MAX(ns) FROM levels)) AS busy
FROM asked;

-- Faults and RSS count from the start of the process, the CPU's share from the last sample.
-- :name samples
WITH looks AS (SELECT r.*, IFNULL(p.started_ns, 0) AS started_ns
	FROM resources r JOIN processes p USING (process_id)
	WHERE r.run_id = :run AND r.process_id IN (SELECT process_id FROM root_lane)),
used AS (SELECT process_id, started_ns, time_ns, cpu_percent / 100.0 * MAX(0, time_ns
		- COALESCE(LAG(time_ns) OVER (PARTITION BY process_id ORDER BY time_ns),
		started_ns)) AS cpu_ns
	FROM looks WHERE cpu_percent IS NOT NULL)
SELECT TOTAL(rss_bytes) AS rss_bytes, TOTAL(minor_faults) AS minor_faults,
	TOTAL(major_faults) AS major_faults, (SELECT TOTAL(cpu_ns) FROM used) AS cpu_ns,
	(SELECT TOTAL(ns) FROM (SELECT MAX(0, MAX(time_ns) - started_ns) AS ns FROM used
		GROUP BY process_id)) AS span_ns
FROM (SELECT MAX(rss_bytes) AS rss_bytes, MAX(minor_faults) AS minor_faults,
	MAX(major_faults) AS major_faults FROM looks GROUP BY process_id);

-- What each function computed itself on a path and a thread; held.c adds it up. A run with
-- one lane has none.
-- :name held
SELECT h.function_id, l.process_id, s.lane_id,
	s.self_ns - s.self_ready_ns - s.self_blocked_ns AS ns
FROM path p JOIN path h ON h.path_id = IFNULL(p.host_path_id, p.path_id)
JOIN path_lane s ON s.path_id = p.path_id JOIN lane l USING (lane_id)
WHERE p.run_id = :run;
