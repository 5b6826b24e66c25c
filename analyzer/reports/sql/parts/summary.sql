-- SPDX-License-Identifier: MIT
-- The head of the report: what ran, for how long, how much was recorded. doctor has the rest.
-- :part summary

-- The command, cut to a line: the program without its folder, and both ends of the arguments.
-- :keep ran
WITH cleaned AS (SELECT *, IFNULL(NULLIF(command, ''), '?') AS line FROM runs WHERE run_id = :run),
first AS (SELECT *, substr(line, 1, instr(line || ' ', ' ') - 1) AS program FROM cleaned),
based AS (SELECT *, substr(line, length(rtrim(program, replace(program, '/', ''))) + 1) AS whole
	FROM first),
room AS (SELECT *, 60 - IFNULL(MIN(length(label), 40) + 3, 0) AS room FROM based)
SELECT run_id, wall_ns, exit_code, exit_signal, substr(label, 1, 40) AS label,
	IIF(length(whole) <= room, whole, substr(whole, 1, room * 3 / 5) || '...'
		|| substr(whole, 3 - room * 2 / 5)) AS line
FROM room;

-- CPU time that is neither the program's nor the hooks' was spent in code without hooks. The
-- threads' clocks contain all three.
-- :keep computed
SELECT program_ns, IIF(other_ns > MAX(:hooks_error_ns, 0.05 * :cpu_ns), other_ns, 0.0) AS other_ns,
	IIF(:has_hooks AND NOT :raw, :cpu_ns - program_ns
		- IIF(other_ns > MAX(:hooks_error_ns, 0.05 * :cpu_ns), other_ns, 0.0), 0.0) AS hooks_ns
FROM (SELECT *, :cpu_ns - program_ns - MIN(MAX(:hooks_ns, 0), 1.0 * :cpu_ns) AS other_ns
	FROM (SELECT IIF(:has_hooks AND NOT :raw, MAX(0, MIN(:program_ns, :cpu_ns)), :cpu_ns)
		AS program_ns))
WHERE :is_split;

-- :values summary brief tight = Run {run_id}{named}: {line}{ended}
SELECT run_id AS "-run_id", IFNULL(' ''' || NULLIF(label, '') || '''', '') AS "-named/text",
	line AS "-line/text", IIF(exit_code <> 0 AND NOT IFNULL(exit_signal, 0),
		printf(' (exit %d)', exit_code), '') AS "-ended/text",
	'{wall_ns} wall' || CASE WHEN :process_count > 1 THEN ', {process_count} processes'
	WHEN :thread_count > 1 THEN ', {thread_count} threads' ELSE '' END
	|| CASE WHEN NOT :calls AND NOT :is_split THEN IIF(:plain_sample_count,
		'; CPU {sampled_ns} by samples', '') WHEN NOT :calls THEN '; CPU {cpu_ns}'
	WHEN NOT :is_split OR :raw THEN '; {program_ns} in its functions'
		|| IIF(:raw, ', hooks included (--raw)', '')
	ELSE '; CPU {program_ns}' || IIF(hooks_ns > 0, ', hooks {hooks_ns}', '')
		|| IIF(other_ns > 0, ', other code {other_ns}', '') END AS "time:~time",
	IIF(:calls, '{calls} of {function_count function}', 'none: no code that ran has hooks')
	|| CASE WHEN :alloc_count THEN '; {alloc_count allocation}, peak {peak_bytes}'
	WHEN (SELECT value FROM trust WHERE run_id = :run AND name = 'samples_only')
	THEN '; allocations were not recorded (PROFSHIM_SAMPLES=only)'
	ELSE '; no allocation was seen' END AS "calls:~calls_text/text",
	wall_ns AS "-wall_ns", :alloc_count AS "-alloc_count", :peak_bytes AS "-peak_bytes",
	:cpu_ns AS "-cpu_ns", (SELECT CAST(TOTAL(cpu_ns) AS INTEGER) FROM samples
	WHERE run_id = :run AND program = 'plain') AS "-sampled_ns", CAST(:program_ns AS INTEGER) AS "-program_ns",
	IIF(:raw, 0, CAST(:program_error_ns AS INTEGER)) AS "-program_error_ns",
	CAST(hooks_ns AS INTEGER) AS "-hooks_ns", CAST(other_ns AS INTEGER) AS "-other_ns",
	:calls AS ".calls", :function_count AS ".function_count", :path_count AS ".path_count",
	:process_count AS ".process_count", :thread_count AS ".thread_count",
	:self_ns AS ".self_ns", :self_error_ns AS ".self_error_ns",
	:hooks_percent AS ".hook_cost_percent",
	:hooks_error_percent AS ".hook_cost_error_percent"
FROM ran LEFT JOIN computed ON 1;

-- Values that were not measured are left out.
-- :end
SELECT 1 WHERE NOT :is_split OR :cpu_ns + :ready_ns + :blocked_ns <= 0;

-- :keep divided
SELECT *, 1.0 * :cpu_ns + :ready_ns + :blocked_ns AS all_ns,
	IIF(hooks_ns > 0, MIN(MAX(:hooks_error_ns, :program_error_ns), 1.0 * :cpu_ns), 0.0) AS error_ns
FROM computed;

-- :keep slept
SELECT f.name, CASE p.kind WHEN 3 THEN 'wait' ELSE 'io' END AS kind, SUM(p.calls) AS calls,
	SUM(p.self_blocked_ns) AS blocked_ns, 100.0 * SUM(p.self_blocked_ns)
	/ (SELECT all_ns FROM divided) AS blocked_percent
FROM path p JOIN function f USING (function_id)
WHERE p.run_id = :run AND p.kind >= 3 AND p.self_blocked_ns > 0
GROUP BY f.name, p.kind ORDER BY blocked_ns DESC, f.name LIMIT 3;

-- A bar of 16 characters before the parts it shows, in their order; not drawn if the threads only
-- computed. Each part ends where the sum up to it ends.
-- :values where brief parts tight
WITH ends AS (SELECT *, CAST(16 * (program_ns + other_ns) / all_ns + 0.5 AS INTEGER) AS a,
	CAST(16 * :cpu_ns / all_ns + 0.5 AS INTEGER) AS b,
	CAST(16 * (:cpu_ns + :ready_ns) / all_ns + 0.5 AS INTEGER) AS c FROM divided),
drawn AS (SELECT *, IIF(:ready_ns + :blocked_ns >= 0.05 * all_ns,
	substr(replace(printf('%16s', ''), ' ', '#'), 1, a)
	|| substr(replace(printf('%16s', ''), ' ', '+'), 1, b - a)
	|| substr(replace(printf('%16s', ''), ' ', '='), 1, c - b)
	|| substr(replace(printf('%16s', ''), ' ', '.'), 1, 16 - c) || printf(' computing %.0f%%',
		100 * (program_ns + other_ns) / all_ns)
	|| IIF(hooks_ns >= 0.005 * all_ns, printf(', hooks %.0f%%', 100 * hooks_ns / all_ns), '')
	|| IIF(:ready_ns >= 0.005 * all_ns, printf(', CPU wait %.0f%%', 100 * :ready_ns / all_ns), '')
	|| IIF(:blocked_ns >= 0.005 * all_ns, printf(', blocked %.0f%%', 100 * :blocked_ns / all_ns),
		''), NULL) AS bar FROM ends),
-- what threads slept in most, if the line has room
most AS (SELECT ' (' || name || ')' AS words FROM slept
	WHERE blocked_ns * 3 >= :blocked_ns AND blocked_percent >= 0.5 ORDER BY blocked_ns DESC LIMIT 1)
SELECT bar || IIF(IFNULL(length(bar) + length(words) <= 68, 0), words, '') AS "threads:~bar",
	:cpu_ns AS ":.cpu_ns",
	CAST(program_ns AS INTEGER) AS "computing:.program_ns",
	:ready_ns AS "CPU wait (runnable, not running):.ready_ns", :blocked_ns AS "blocked:.blocked_ns",
	CAST(NULLIF(hooks_ns, 0) AS INTEGER) AS "hooks, not the program:.?hooks_ns",
	CAST(NULLIF(other_ns, 0) AS INTEGER) AS "code without hooks:.?other_ns",
	CAST(NULLIF(error_ns, 0) AS INTEGER) AS ".?program_error_ns",
	CAST(NULLIF(error_ns, 0) AS INTEGER) AS ".?hooks_error_ns"
FROM drawn LEFT JOIN most ON 1;

-- :table blocked_on brief machine page whole = What blocked them
SELECT name AS "call!:name", kind AS ".kind", calls AS "calls!:calls",
	blocked_ns AS "blocked!:blocked_ns/ns", blocked_percent AS "blocked %!:blocked_percent"
FROM slept ORDER BY blocked_ns DESC, name;
