-- SPDX-License-Identifier: MIT
-- :rule T15 super-linear: Its CPU time grows faster than the size
-- :about over the runs of a sweep (prof-record --sweep) the function's own CPU time grows
-- faster than the parameter, and will be a large share of it all
-- :says grows as {law} with {parameter}: {later} of the CPU at ten times {most}
-- :needs calls time
-- :specific 3
-- :limit least_exponent = 1.3 ratio: exponent of the growth; all of its 95 % interval is above
-- :limit later_share = 0.1 ratio, at most 1: share of the CPU time at ten times the largest value
-- :limit least_sizes = 3 count, at least 3: sizes recorded
-- :limit weight = 0.5 ratio, at most 1: part of that share that counts for the severity
-- :evidence exponent ratio, at least least_exponent: exponent
-- :evidence later percent, at least later_share: share of the CPU at ten times the size
-- :evidence own_ns ns: own CPU time now
-- :evidence later_ns ns: at ten times the size
-- :evidence sizes count, at least least_sizes: sizes recorded
-- :asks low at least least_exponent
-- :advice see what grows: prof-analyze scaling run.db
-- :advice look for a search or a copy of all that is there, made again for each new item
-- :advice keep an index (hash, sorted array), or sort once and merge
-- :speaks the exponent's interval is above 1.3 over three or more sizes of a sweep, and the
-- function will be 10 % of the CPU time at ten times the largest
-- :gains what it takes above growth in proportion
-- :unseen runs of one size; why it grows

-- :query
-- Runs of another level, label or build tell of other times. Of a grid the other parameters are
-- those of the run.
WITH parameters AS (SELECT name, value FROM run_tag WHERE run_id = :run AND kind = 'parameter'),
swept AS (SELECT r.run_id FROM run m JOIN run_tag w ON w.run_id = m.run_id AND w.kind = 'sweep'
	JOIN run_tag t ON t.kind = 'sweep' AND t.name = w.name AND t.value = w.value
	JOIN run r ON r.run_id = t.run_id
	WHERE m.run_id = :run AND r.complete AND r.level IS m.level AND r.label IS m.label
	AND r.overhead_percent IS m.overhead_percent
	AND (SELECT build_id FROM process p WHERE p.run_id = r.run_id ORDER BY process_id LIMIT 1)
	IS (SELECT build_id FROM process p WHERE p.run_id = m.run_id ORDER BY process_id LIMIT 1)),
points AS MATERIALIZED (SELECT p.name AS parameter, s.run_id, CAST(t.value AS REAL) AS x
	FROM parameters p JOIN swept s JOIN run_tag t ON t.run_id = s.run_id AND t.kind = 'parameter'
	AND t.name = p.name WHERE p.name NOT IN ('threads', 'thread', 'workers', 'jobs', 'cores', 'nthreads')
	AND CAST(t.value AS REAL) > 0
	AND NOT EXISTS (SELECT 1 FROM parameters o JOIN run_tag q ON q.run_id = s.run_id
		AND q.kind = 'parameter' AND q.name = o.name WHERE o.name <> p.name AND q.value <> o.value)),
own AS (SELECT p.parameter, p.x, f.name, f.file, f.line, p.run_id, MAX(f.function_id) AS function_id,
	MAX(0, SUM(IIF(f.self_cpu_ns > 0, f.self_cpu_ns, f.self_ns))) AS ns, SUM(f.self_error_ns) AS error_ns
	FROM points p JOIN function f USING (run_id) WHERE NOT f.is_library
	GROUP BY p.parameter, p.run_id, f.name, f.file, f.line),
fits AS (SELECT parameter, MAX(function_id) FILTER (WHERE run_id = :run) AS function_id, scaling(x, ns, error_ns) AS fit, MAX(x) AS most,
	AVG(ns) FILTER (WHERE run_id = :run) AS own_ns, AVG(error_ns) FILTER (WHERE run_id = :run) AS error_ns,
	10 * (SELECT MAX(x) FROM points) AS later_x FROM own GROUP BY parameter, name, file, line),
told AS (SELECT *, scaling_at(fit, later_x) AS later_ns FROM fits WHERE own_ns > error_ns
	AND scaling_is(fit, 'law') <> '?'),
shared AS (SELECT *, later_ns / NULLIF(SUM(later_ns) OVER (PARTITION BY parameter), 0) AS later FROM told)
SELECT s.function_id, s.parameter, printf('%.15g', s.most) AS most, scaling_is(fit, 'law') AS law,
	scaling_is(fit, 'exponent') AS exponent, scaling_is(fit, 'low') AS low, scaling_is(fit, 'sizes') AS sizes,
	s.own_ns, s.error_ns AS own_ns_error, s.later_ns, s.later,
	(scaling_at(fit, later_x, 'high') - scaling_at(fit, later_x, 'low')) / 2 AS later_ns_error,
	MAX(0, MIN(s.own_ns, s.own_ns * (1 - pow(2, 1 - scaling_is(fit, 'low'))))) AS saving_ns,
	:weight * s.later AS at_stake,
	'over ' || printf('%d', scaling_is(fit, 'sizes')) || ' sizes its own CPU time grows as the size to the power of '
	|| printf('%.2f (%.2f to %.2f)', scaling_is(fit, 'exponent'), scaling_is(fit, 'low'), scaling_is(fit, 'high')) AS why
FROM shared s
ORDER BY s.later DESC;

-- :proof
SELECT t.value AS size, f.calls, f.self_ns, f.self_cpu_ns, f.self_error_ns FROM functions f JOIN run_tags t
	USING (run_id) WHERE t.kind = 'parameter' AND f.name = (SELECT name FROM functions WHERE
	function_id = {function_id}) ORDER BY CAST(t.value AS REAL), run_id
