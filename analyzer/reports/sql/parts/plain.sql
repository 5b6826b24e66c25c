-- SPDX-License-Identifier: MIT
-- Two builds of one program, function by function: times of the build without hooks beside the
-- counts of the hooked run, and which functions hooks made slower or faster than chance explains.
--
-- If a function has n samples of weight w in one build and m of weight v in the other, the square
-- roots of n + 3/8 and m + 3/8 have variances of 1/4 (Anscombe, Biometrika 35 (1948) 246), so the
-- difference of the roots of both times is about normal. Among the p-values of all functions the
-- false discovery rate is held at one in a hundred (Benjamini and Hochberg); of these, functions
-- count whose intervals do not meet.
-- :part plain

-- :keep plain_builds
SELECT COUNT(*) AS run_count, (SELECT COUNT(*) FROM samples s JOIN plain_runs p ON s.run_id = p.plain_run_id
	WHERE p.run_id = :run AND s.program = 'plain' AND s.line IS NOT NULL) AS line_count
FROM plain_runs WHERE run_id = :run;

-- :end
SELECT 1 FROM plain_builds WHERE NOT run_count;

-- All functions with samples. Sampling starts only when the collector has found the process, and
-- each sample takes time itself: if all threads are known, the samples of each build are scaled to
-- its threads' CPU time, less the sampling.
-- :keep plain_timed
WITH builds AS (SELECT plain_run_id AS run_id, 1 AS is_plain FROM plain_runs WHERE run_id = :run
	UNION ALL SELECT :run, 0),
	ticks AS (SELECT is_plain, AVG(value) AS tick_ns FROM builds JOIN trust USING (run_id)
		WHERE name = 'sample_tick_ns' GROUP BY is_plain),
	sampled AS (SELECT is_plain, TOTAL(cpu_ns) AS cpu_ns, TOTAL(count) AS count
		FROM builds JOIN samples USING (run_id) GROUP BY is_plain),
	threaded AS (SELECT is_plain, TOTAL(cpu_ns) AS cpu_ns FROM builds JOIN threads USING (run_id)
		GROUP BY is_plain),
	parts AS (SELECT is_plain, (MAX(s.cpu_ns * (IFNULL(t.cpu_ns, 0) < 0.95 * s.cpu_ns),
		IFNULL(t.cpu_ns, 0)) - s.count * IFNULL(tick_ns, 0)) / s.cpu_ns AS times
		FROM sampled s LEFT JOIN threaded t USING (is_plain) LEFT JOIN ticks USING (is_plain)
		WHERE s.cpu_ns > 0)
SELECT name, module, file, line, function_id, plain_samples, hooked_samples,
	CAST(ROUND(plain_cpu_ns * IFNULL((SELECT times FROM parts WHERE is_plain), 1)
		/ plain_runs) AS INTEGER) AS cpu_ns,
	CAST(ROUND(hooked_cpu_ns * IFNULL((SELECT times FROM parts WHERE NOT is_plain), 1))
		AS INTEGER) AS hooked_cpu_ns, calls, alloc_count, alloc_bytes
FROM plain_functions WHERE run_id = :run ORDER BY plain_cpu_ns DESC, name;

-- What each build computed in a run, and its samples for each ns.
-- :keep plain_sides
SELECT *, plain_samples / NULLIF(plain_ns, 0) AS plain_each, hooked_samples / NULLIF(hooked_ns, 0)
	AS hooked_each FROM (SELECT TOTAL(cpu_ns) AS plain_ns, TOTAL(hooked_cpu_ns) AS hooked_ns,
	TOTAL(plain_samples) AS plain_samples, TOTAL(hooked_samples) AS hooked_samples FROM plain_timed);

-- :note plain_note brief warning
SELECT 'The plain build has no samples: it ended too soon, or the kernel refuses them.' AS text
FROM plain_sides WHERE NOT plain_ns > 0;

-- :end
SELECT 1 FROM plain_sides WHERE NOT plain_ns > 0;

-- :keep plain_judged
WITH tested AS (SELECT t.*, s.*, t.rowid AS place, t.plain_samples AS n, t.hooked_samples AS m,
		erfc(ABS((square_root((t.plain_samples + 0.375) / plain_each)
			- square_root((t.hooked_samples + 0.375) / hooked_each))
		* 2 / square_root(1 / plain_each + 1 / hooked_each)) / square_root(2)) AS p
	FROM plain_timed t, plain_sides s),
ranked AS (SELECT *, p * COUNT(p) OVER () / ROW_NUMBER() OVER (ORDER BY p) AS share FROM tested)
SELECT place, IIF(MIN(share) OVER (ORDER BY p DESC) <= 0.01
	AND (poisson_low(n) / plain_each > poisson_high(m) / hooked_each
		OR poisson_low(m) / hooked_each > poisson_high(n) / plain_each),
	IIF(m / hooked_each > n / plain_each, 'more', 'less'), NULL) AS differs
FROM ranked;

-- :table plain_functions brief noun=function weight=cpu_ns,the_CPU_time = Times of the plain build
SELECT 100.0 * cpu_ns / plain_ns AS "self %!:self_cpu_percent",
	100.0 * CAST(ROUND((poisson_high(t.plain_samples) - poisson_low(t.plain_samples)) / 2
		/ plain_each) AS INTEGER) / plain_ns AS ".self_cpu_error_percent",
	cpu_ns AS "plain!:cpu_ns", CAST(ROUND((poisson_high(t.plain_samples)
		- poisson_low(t.plain_samples)) / 2 / plain_each) AS INTEGER) AS ".cpu_error_ns",
	hooked_cpu_ns AS "hooked!:hooked_cpu_ns", CAST(ROUND((poisson_high(t.hooked_samples)
		- poisson_low(t.hooked_samples)) / 2 / hooked_each) AS INTEGER)
		AS ".hooked_cpu_error_ns",
	differs AS "hooks!:differs", calls AS "calls!:calls", IIF(calls > 0 AND cpu_ns > 0,
		CAST(ROUND(1.0 * cpu_ns / calls) AS INTEGER), NULL) AS "avg:average_cpu_ns",
	alloc_count AS "allocs:alloc_count", alloc_bytes AS ".alloc_bytes",
	t.plain_samples AS ".plain_samples/count", t.hooked_samples AS ".hooked_samples/count",
	name AS "function!:name", module AS ".module/file", file AS ".file", line AS ".line/count",
	function_id AS ".function_id"
FROM plain_timed t JOIN plain_judged ON place = t.rowid, plain_sides ORDER BY t.rowid;

-- :note plain_note brief
WITH different AS (SELECT name, differs, ABS(hooked_cpu_ns - cpu_ns) AS ns, place
	FROM plain_timed t JOIN plain_judged ON place = t.rowid WHERE differs IS NOT NULL),
most AS (SELECT GROUP_CONCAT(name || ' ' || people('ns', ns) || ' ' || differs, ', ') AS words
	FROM (SELECT * FROM different ORDER BY ns DESC, place LIMIT 3))
SELECT 'Times are of the plain build ({run_count run}), calls and allocations of this run. The plain build
	computed {plain_ns}' || CASE WHEN NOT hooked_ns > 0
	THEN '; this one has no samples to compare with.'
	ELSE ', this one {hooked_ns} without the hooks, {factor} as much. ' || IIF(function_count,
	'{function_count function} {function_count|differs|differ} by more than chance explains, because of the
	hooks: {words}' || IIF(function_count > 3, ', and others.', '.'),
	'No function differs by more than chance allows with so few samples.') END
	|| IIF(line_count, '', ' It has no line tables (-g), so inlined functions are counted in their
	callers.') AS text,
	run_count, CAST(plain_ns AS INTEGER) AS plain_ns, CAST(hooked_ns AS INTEGER) AS hooked_ns,
	printf(CASE WHEN times < 9.995 THEN '%.2fx' WHEN times < 99.95 THEN '%.1fx' ELSE '%.0fx' END,
		times) AS factor, words, function_count
FROM plain_builds, most, (SELECT *, hooked_ns / plain_ns AS times,
	(SELECT COUNT(*) FROM different) AS function_count FROM plain_sides);
