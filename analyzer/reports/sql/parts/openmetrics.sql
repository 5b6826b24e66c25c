-- SPDX-License-Identifier: MIT
-- :export openmetrics
-- :takes run
-- :about
-- for Prometheus and other readers of OpenMetrics: the totals of a run as gauges in
-- seconds, bytes and counts; the same for the 50 functions with the largest shares of
-- self time, calls or allocated bytes; and the first 20 steps and counters. So no run has
-- more than 500 series. 'push' sends the same to a Pushgateway.
-- Values that were not measured are absent.

-- :with program
SELECT label_value(replace(executable, rtrim(executable, replace(executable, '/', '')), ''))
	AS name FROM processes WHERE run_id = :run ORDER BY process_id LIMIT 1

-- Functions of one name together: a series is told by its labels.
-- :with named
SELECT label_value(full_name) AS name, SUM(calls) AS calls, SUM(self_ns) AS self_ns,
	SUM(self_error_ns) AS self_error_ns, SUM(total_ns) AS total_ns,
	SUM(alloc_count) AS alloc_count, SUM(alloc_bytes) AS alloc_bytes
FROM functions WHERE run_id = :run GROUP BY 1

-- :with sums
SELECT SUM(calls) AS calls, SUM(self_ns) AS self_ns, SUM(self_error_ns) AS self_error_ns,
	SUM(alloc_bytes) AS alloc_bytes FROM named

-- :with told
SELECT n.* FROM named n, sums s ORDER BY MAX(IFNULL(1.0 * n.self_ns / s.self_ns, 0),
	IFNULL(1.0 * n.calls / s.calls, 0), IFNULL(1.0 * n.alloc_bytes / s.alloc_bytes, 0)) DESC,
	name LIMIT 50

-- :with steps_told
SELECT label_value(name) AS name, SUM(step_count) AS step_count, MAX(mean_ns) AS mean_ns,
	MAX(p50_ns) AS p50_ns, MAX(p99_ns) AS p99_ns FROM step_totals
WHERE run_id = :run AND process_id IS NULL GROUP BY 1 ORDER BY MAX(total_ns) DESC, 1 LIMIT 20

-- What the metrics are called; the unit is the end of the name.
-- :with families
SELECT column1 AS place, column2 AS family, column3 AS unit, column4 AS help FROM (VALUES
(1, 'run_info', '', 'The run: its number in run.db, and what ran where.'),
(2, 'run_started_timestamp_seconds', 'seconds', 'When the run began, since 1970.'),
(3, 'run_complete', '', '1: every process of the run ended by itself and was seen to.'),
(4, 'run_exit_code', '', 'The exit code of the first process.'),
(5, 'run_wall_seconds', 'seconds', 'How long the run took.'),
(6, 'run_self_seconds', 'seconds', 'Time within functions, all threads together.'),
(7, 'run_self_error_seconds', 'seconds', 'Half of the 95 % interval of run_self_seconds.'),
(8, 'run_cpu_seconds', 'seconds', 'Time that threads computed.'),
(9, 'run_ready_seconds', 'seconds', 'Time that threads waited for a CPU.'),
(10, 'run_blocked_seconds', 'seconds', 'Time that threads slept.'),
(11, 'run_calls', '', 'Calls of functions.'),
(12, 'run_functions', '', 'Functions with different names, of which 50 have series.'),
(13, 'run_allocations', '', 'Allocations.'),
(14, 'run_allocated_bytes', 'bytes', 'Bytes that were allocated.'),
(15, 'run_peak_bytes', 'bytes', 'Live bytes at their peak.'),
(16, 'run_live_bytes', 'bytes', 'Live bytes at the exit.'),
(17, 'run_resident_peak_bytes', 'bytes', 'The largest resident set that was seen.'),
(18, 'run_trust', '', 'What keeps the recording from being complete, by its name.'),
(20, 'function_calls', '', 'Calls of the function.'),
(21, 'function_self_seconds', 'seconds', 'Time of the function without what it called.'),
(22, 'function_self_error_seconds', 'seconds',
	'Half of the 95 % interval of function_self_seconds, where that is an estimate.'),
(23, 'function_total_seconds', 'seconds', 'Time of the function with what it called.'),
(24, 'function_allocations', '', 'Allocations by the function itself.'),
(25, 'function_allocated_bytes', 'bytes', 'Bytes that the function itself allocated.'),
(30, 'step_marks', '', 'How often the step was marked.'),
(31, 'step_mean_seconds', 'seconds', 'Mean time of the step.'),
(32, 'step_p50_seconds', 'seconds', 'Median time of the step.'),
(33, 'step_p99_seconds', 'seconds', 'The 99th percentile of the time of the step.'),
(34, 'mean_value', '', 'Mean value of the counter that the program marks.'))

-- Nanoseconds where the unit is seconds. Each family's samples follow each other.
-- :with samples
SELECT 1 AS place, ',run="' || run_id || '",label="' || label_value(label) || '",command="'
	|| label_value(command) || '",host="' || label_value(host) || '",level="'
	|| label_value(level) || '",profshim_version="' || label_value(shim_version) || '"'
	AS labels, 1 AS value FROM runs WHERE run_id = :run
UNION ALL SELECT 2, '', 1e9 * (julianday(started_utc) - 2440587.5) * 86400 FROM runs WHERE run_id = :run
UNION ALL SELECT 3, '', complete FROM runs WHERE run_id = :run
UNION ALL SELECT 4, '', exit_code FROM runs WHERE run_id = :run
UNION ALL SELECT 5, '', wall_ns FROM runs WHERE run_id = :run
UNION ALL SELECT 6, '', self_ns FROM sums
UNION ALL SELECT 7, '', self_error_ns FROM sums
UNION ALL SELECT 8, '', SUM(cpu_ns) FROM threads WHERE run_id = :run
UNION ALL SELECT 9, '', SUM(ready_ns) FROM threads WHERE run_id = :run
UNION ALL SELECT 10, '', SUM(blocked_ns) FROM threads WHERE run_id = :run
UNION ALL SELECT 11, '', calls FROM sums
UNION ALL SELECT 12, '', COUNT(*) FROM named
UNION ALL SELECT 13, '', alloc_count FROM runs WHERE run_id = :run
UNION ALL SELECT 14, '', alloc_bytes FROM runs WHERE run_id = :run
UNION ALL SELECT 15, '', peak_bytes FROM runs WHERE run_id = :run
UNION ALL SELECT 16, '', live_bytes_at_exit FROM runs WHERE run_id = :run
UNION ALL SELECT 17, '', MAX(rss_bytes) FROM resources WHERE run_id = :run
UNION ALL SELECT 18, ',fact="' || name || '"', SUM(value) FROM trust WHERE run_id = :run
	AND name IN ('dropped_allocations', 'folded_paths', 'repaired_frames', 'orphan_exits',
		'lost_frees', 'unknown_frees', 'late_events') GROUP BY name
UNION ALL SELECT 20, ',function="' || name || '"', calls FROM told
UNION ALL SELECT 21, ',function="' || name || '"', self_ns FROM told
UNION ALL SELECT 22, ',function="' || name || '"', NULLIF(self_error_ns, 0) FROM told
UNION ALL SELECT 23, ',function="' || name || '"', total_ns FROM told
UNION ALL SELECT 24, ',function="' || name || '"', alloc_count FROM told
UNION ALL SELECT 25, ',function="' || name || '"', alloc_bytes FROM told
UNION ALL SELECT 30, ',step="' || name || '"', step_count FROM steps_told
UNION ALL SELECT 31, ',step="' || name || '"', mean_ns FROM steps_told
UNION ALL SELECT 32, ',step="' || name || '"', p50_ns FROM steps_told
UNION ALL SELECT 33, ',step="' || name || '"', p99_ns FROM steps_told
UNION ALL SELECT * FROM (SELECT 34, ',counter="' || label_value(name) || '"', AVG(mean)
	FROM counter_totals WHERE run_id = :run AND process_id IS NULL
	GROUP BY 2 ORDER BY 2 LIMIT 20)

-- A number whatever a column has, since run.db may be somebody else's.
-- :with lines
SELECT place, 1 AS part, '# TYPE profshim_' || family || ' gauge' AS line FROM families
UNION ALL SELECT place, 2, '# UNIT profshim_' || family || ' ' || unit FROM families WHERE unit <> ''
UNION ALL SELECT place, 3, '# HELP profshim_' || family || ' ' || help FROM families
UNION ALL SELECT place, 4, 'profshim_' || family || '{program="'
	|| IFNULL((SELECT name FROM program), '') || '"' || labels || '} '
	|| CASE unit WHEN 'seconds' THEN printf('%.9f', value / 1e9)
	ELSE rtrim(rtrim(printf('%.6f', value), '0'), '.') END
	FROM samples JOIN families USING (place) WHERE value IS NOT NULL
UNION ALL SELECT 99, 5, '# EOF'

-- :table lines main
SELECT line FROM lines WHERE place = 99
	OR place IN (SELECT place FROM samples WHERE value IS NOT NULL) ORDER BY place, part, line;
