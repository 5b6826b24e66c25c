-- SPDX-License-Identifier: MIT
-- Facts about a run for rules: what its time was spent on, and what was measured.

-- What the instrumented code of each thread took, without waits for a CPU; kept as the table
-- root_lane. A run with one lane has no path_lane. A forked child's roots were entered by its
-- parent: they have time but no calls.
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

-- A process lives as long as its threads: the recorder's own start and end, which take long on
-- a busy machine, come before and after. The longest thread waited for a CPU in other code,
-- too.
-- :name run_lanes
WITH lived AS (SELECT process_id, MAX(started_ns + wall_ns) - MIN(started_ns) AS ns
	FROM threads WHERE run_id = :run GROUP BY process_id),
longest AS (SELECT r.*, MAX(0, p.wall_ns - COALESCE(v.ns, p.wall_ns)) AS outside_ns
	FROM root_lane r JOIN processes p USING (process_id) LEFT JOIN lived v USING (process_id)
	ORDER BY r.ns DESC, r.lane_id DESC LIMIT 1),
sums AS (SELECT COUNT(*) AS lanes, TOTAL(ready_ns) AS roots_ready_ns,
	(SELECT TOTAL(ns) FROM (SELECT MAX(ns) AS ns FROM root_lane GROUP BY process_id))
	AS longest_sum_ns, IFNULL(:wall_ns - (SELECT outside_ns + MAX(ready_ns,
		(SELECT TOTAL(t.ready_ns) FROM threads t WHERE t.run_id = :run
		AND t.lane_id = l.lane_id)) FROM longest l), :wall_ns) AS wall_ns,
	-- the longest thread's part of the sum
	IFNULL(MAX(0, MIN(1, MAX(ns) / IIF(TOTAL(ns) > 0, TOTAL(ns), NULL))), 0) AS part,
	(SELECT TOTAL(raw_self_ns - self_ns) FROM functions WHERE run_id = :run) AS all_hooks_ns,
	(SELECT TOTAL(value) FROM trust WHERE run_id = :run
		AND name IN ('switches_by_rseq', 'switches_by_perf')) > 0
	AND (SELECT TOTAL(value) FROM trust WHERE run_id = :run
		AND name IN ('unsplit_processes', 'switches_unseen')) <= 0 AS has_split,
	(SELECT TOTAL(COALESCE(v.ns, p.wall_ns)) FROM processes p LEFT JOIN lived v
		USING (process_id) WHERE p.process_id IN (SELECT process_id FROM root_lane))
	AS lived_ns
FROM root_lane)
SELECT *, part * all_hooks_ns AS run_hooks_ns, MIN(MAX(wall_ns - part * all_hooks_ns,
	longest_sum_ns) + part * :self_error_ns, MAX(wall_ns, longest_sum_ns)) AS run_ns
FROM sums;

-- Processes in which instrumented functions were called; a shell that waits for the program
-- does not count. busy: threads that wished for a CPU for at least half of their process's
-- life, as many as there were at a time for at least half of the time with any thread:
-- processes that follow each other do not add up.
-- :name run_threads
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
SELECT TOTAL(wall_ns) AS threads_ns, TOTAL(cpu_ns) AS cpu_ns, TOTAL(ready_ns) AS ready_ns,
	(SELECT MAX(busy) FROM levels WHERE 2 * ns >= (SELECT MAX(ns) FROM levels)) AS busy
FROM asked;

-- Faults and RSS count from the process's start, the CPU's share from the previous sample. If
-- a later sample saw more faults but no RSS, the memory held is not known.
-- :name run_samples
WITH looks AS (SELECT r.*, IFNULL(p.started_ns, 0) AS started_ns
	FROM resources r JOIN processes p USING (process_id)
	WHERE r.run_id = :run AND r.process_id IN (SELECT process_id FROM root_lane)),
used AS (SELECT process_id, started_ns, time_ns, cpu_percent / 100.0 * MAX(0, time_ns
		- COALESCE(LAG(time_ns) OVER (PARTITION BY process_id ORDER BY time_ns),
		started_ns)) AS cpu_ns
	FROM looks WHERE cpu_percent IS NOT NULL)
SELECT TOTAL(rss_bytes) AS rss_peak_bytes, TOTAL(minor_faults) AS minor_faults,
	TOTAL(major_faults) AS major_faults, (SELECT TOTAL(cpu_ns) FROM used) AS sampled_cpu_ns,
	(SELECT TOTAL(ns) FROM (SELECT MAX(0, MAX(time_ns) - started_ns) AS ns FROM used
		GROUP BY process_id)) AS span_ns
FROM (SELECT MAX(rss_bytes) AS rss_bytes, MAX(IIF(rss_bytes > 0, minor_faults, 0)) AS minor_faults,
	MAX(major_faults) AS major_faults FROM looks GROUP BY process_id);

-- One row; queries of rules find its columns bound by name, as numbers with fractions. run_ns:
-- the run less the cost of hooks, its longest thread's waits for a CPU, and the recorder's
-- start and end in that process; for several processes at least the sum of their longest
-- threads. It is the upper end of the error, so that no share of it is too large. own_run_ns:
-- also without recording allocations that no function led to, so that costs measured at rest
-- can be compared with it. Sums over processes are shares of run_peaks_bytes; run_peak_bytes
-- is the highest of one process.
-- has_split: computing and waits were told apart in every process; without it paths say that
-- they computed. threads_ns, cpu_ns, ready_ns, busy: of the threads that were asked.
-- :name run
SELECT l.run_ns, l.run_hooks_ns, l.lanes, l.lived_ns, l.has_split, l.roots_ready_ns,
	MAX(l.run_ns - :frames_alloc_count * :alloc_pair_ns / MAX(1, l.lanes), 0.1 * l.run_ns)
	AS own_run_ns, a.*, s.*, r.cpu_count AS cpus, :wall_ns AS wall_ns,
	:alloc_count AS alloc_count, :peak_bytes AS run_peak_bytes,
	MAX(:peak_bytes, :peaks_bytes) AS run_peaks_bytes, :pair_ns AS hook_ns,
	(SELECT COUNT(*) FROM snapshots WHERE run_id = :run) AS snapshots
FROM run_lanes l, run_threads a, run_samples s, runs r WHERE r.run_id = :run;

-- Which measurements are valid, each with the reason if it is not. A rule that reads an
-- invalid number raises false alarms. Of the measurements that a rule needs, the first reason
-- is told.
-- :name measured
SELECT 'calls' AS name, IIF(:calls = 0, 'no calls were counted', NULL) AS reason
UNION ALL SELECT 'allocations', IIF(:alloc_count > 0, NULL, 'no allocation was recorded')
UNION ALL SELECT 'steps', IIF(EXISTS (SELECT 1 FROM step_totals WHERE run_id = :run), NULL,
	'the run has no steps (profshim_step() marks them)')
UNION ALL SELECT 'wall', IIF(:wall_ns > 0 AND (SELECT TOTAL(value) FROM trust
	WHERE run_id = :run AND name = 'unseen_ends') <= 0, NULL, 'the run time is unknown')
UNION ALL SELECT 'cpu', IIF(:has_split, NULL, 'CPU time and waits were not told '
	|| 'apart in every process: see ''prof-analyze doctor''')
UNION ALL SELECT 'end', CASE WHEN :is_live THEN 'the run has not ended'
	WHEN NOT complete THEN 'a process did not end by itself, '
		|| 'so its remaining blocks mean nothing' END
	FROM runs WHERE run_id = :run
UNION ALL SELECT 'time', IIF(:self_error_ns > 0 AND ABS(:self_ns) <= :self_error_ns, 'the '
	|| 'program''s self time is not known: the hooks'' cost is not known well enough', NULL)
-- a shorter look at /proc, and one at less of what the processes lived, says nothing
UNION ALL SELECT 'samples', CASE WHEN :span_ns >= 50e6 AND :span_ns >= 0.5 * :lived_ns THEN NULL
	WHEN NOT EXISTS (SELECT 1 FROM resources WHERE run_id = :run)
	THEN 'no samples of /proc were taken'
	WHEN :span_ns < 50e6 THEN 'too short for samples of /proc'
	ELSE 'the samples of /proc cover less than half of the run' END
UNION ALL SELECT 'libc', IIF(EXISTS (SELECT 1 FROM path WHERE run_id = :run AND kind >= 3), NULL,
	'no libc call was recorded');

-- Functions that may have computed for long, but whose time is not known: too few samples or
-- none, or hooks took most of the recorded time. Then no rule about time has passed.
-- :name unjudged
WITH unknown AS MATERIALIZED (SELECT name, ROW_NUMBER() OVER (ORDER BY is_library,
		self_ns + self_error_ns DESC, function_id) AS place FROM functions
	WHERE run_id = :run AND calls > 0 AND self_error_ns > 0 AND self_ns <= self_error_ns
		AND self_ns + self_error_ns >= 0.05 * :run_ns)
SELECT 'instrumentation dominates ' || (SELECT group_concat(short_name(48, IFNULL(name, '?')), ', ')
		FROM (SELECT name FROM unknown WHERE place <= 3 ORDER BY place))
	|| IIF(COUNT(*) > 3, ' and ' || counted('other', COUNT(*) - 3), '') AS text
FROM unknown HAVING COUNT(*) > 0;

-- The known defects of the recording; Q1 fills the table.
-- :name quality
SELECT '' AS name, '' AS unit, 0.0 AS value, 0.0 AS "limit", 0 AS touches, 0 AS most, '' AS text,
	'' AS advice WHERE 0;

-- What each function computed itself, by path and thread; kept.c adds it up. Empty for a run with one lane.
-- :name held
SELECT h.function_id, l.process_id, s.lane_id,
	s.self_ns - s.self_ready_ns - s.self_blocked_ns AS ns
FROM path p JOIN path h ON h.path_id = IFNULL(p.host_path_id, p.path_id)
JOIN path_lane s ON s.path_id = p.path_id JOIN lane l USING (lane_id)
WHERE p.run_id = :run;
