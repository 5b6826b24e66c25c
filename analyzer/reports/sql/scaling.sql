-- SPDX-License-Identifier: MIT
-- :report scaling: how calls, time and memory grow with a size
-- :argument [FUNC]
-- :takes run limit sort filter by maybe growth
-- :example prof-analyze scaling run.db --fail-on 'calls ~ n^1.5'
-- :about
-- Of runs that prof-record --sweep recorded: how each function grows with the parameter, worst
-- first: by its share of the CPU time at ten times the largest value. 'grows' is the simplest
-- law that fits the own CPU time, of 1, log n, n, n log n, n^2, n^3 and 2^n; the exponent k, of
-- n^k, has its 95 % interval. Counts that all runs of a value agree on are judged exactly. What
-- is foretold has bounds that hold for every law that fits. 'overtakes' is the value of the
-- parameter from which on the function takes more than all others together. With FUNC: all its
-- quantities, and its call edges. Of threads (also workers, jobs, cores): speed-up, efficiency,
-- serial share, and what was waited for. --by chooses the parameter; of others, in a grid, the
-- runs with the largest value are taken. --fail-on takes limits, 'calls ~ n^1.5, func:parse.cpu
-- ~ n log n', of calls, cpu, self, total, alloc_count or alloc_bytes of every function or of
-- one, or wall, peak or live of the run: status 3 if something grows faster for sure.

-- The sweep that is meant: that of the run, or without --run the latest.
-- :keep meant_run
SELECT r.run_id, t.value AS template, r.label, r.level, r.overhead_percent,
	(SELECT build_id FROM process p WHERE p.run_id = r.run_id ORDER BY process_id LIMIT 1) AS build
FROM runs r JOIN run_tags t USING (run_id) WHERE kind = 'sweep' AND t.name = 'command'
	AND (NOT :is_run_chosen OR run_id = :run) ORDER BY run_id DESC LIMIT 1;

-- :note no_sweep empty stop
SELECT IIF(:is_run_chosen, 'This run is not of a sweep.', 'No run of the file is of a sweep.') AS text,
	'Record a program at several sizes: prof-record --sweep n=1000,2000,4000,8000 -- ./app {word}.'
	AS advice, '{' || 'n}' AS word WHERE NOT EXISTS (SELECT 1 FROM meant_run);

-- Runs of another build, level or label are not mixed with them.
-- :keep swept
SELECT r.run_id, r.wall_ns, r.peak_bytes, r.live_bytes_at_exit, r.alloc_count, r.alloc_bytes, r.cpu_count,
	CASE WHEN r.level IS NOT m.level OR r.overhead_percent IS NOT m.overhead_percent THEN 'at level '
		|| IFNULL(r.level, 'unknown') || IIF(r.overhead_percent IS NULL, '', printf(' with %g %% overhead', r.overhead_percent))
	WHEN r.label IS NOT m.label THEN IIF(r.label IS NULL, 'without a label', 'labelled "' || r.label || '"')
	WHEN (SELECT build_id FROM process p WHERE p.run_id = r.run_id ORDER BY process_id LIMIT 1) IS NOT m.build
	THEN 'of another build'
	WHEN NOT r.complete THEN 'that are not complete' END AS differs
FROM meant_run m JOIN run_tags t ON t.kind = 'sweep' AND t.name = 'command' AND t.value = m.template
JOIN runs r ON r.run_id = t.run_id;

-- :note left_out warning
SELECT 'Left out: ' || counted('run', COUNT(*)) || ' ' || differs || ' (' || MIN(run_id)
	|| IIF(COUNT(*) > 1, ' to ' || MAX(run_id), '') || '); --run {run_id} takes them instead.' AS text,
	MAX(run_id) AS "run_id/id" FROM swept WHERE differs IS NOT NULL GROUP BY differs;

-- :keep parameter
SELECT t.name, COUNT(DISTINCT t.value) AS sizes, MAX(CAST(t.value AS REAL)) AS most,
	t.name IN ('threads', 'thread', 'workers', 'jobs', 'cores', 'nthreads') AS is_threads
FROM swept s JOIN run_tags t USING (run_id)
WHERE s.differs IS NULL AND t.kind = 'parameter' AND CAST(t.value AS REAL) > 0
GROUP BY t.name HAVING COUNT(DISTINCT t.value) > 1;

-- :keep chosen
SELECT * FROM parameter WHERE :by IS NULL OR name = :by ORDER BY is_threads, sizes DESC, name LIMIT 1;

-- :note no_parameter empty stop warning
SELECT CASE WHEN :by IS NOT NULL AND EXISTS (SELECT 1 FROM parameter) THEN 'There is no parameter "'
	|| :by || '" in this sweep; there are ' || (SELECT GROUP_CONCAT(name, ', ') FROM parameter) || '.'
	ELSE 'The runs that are left have one value of each parameter: that shows no growth.' END AS text
WHERE NOT EXISTS (SELECT 1 FROM chosen);

-- A run of the sweep: x is the parameter.
-- :keep point
SELECT s.*, CAST(t.value AS REAL) AS x FROM swept s JOIN chosen c
JOIN run_tags t ON t.run_id = s.run_id AND t.kind = 'parameter' AND t.name = c.name
WHERE s.differs IS NULL AND CAST(t.value AS REAL) > 0 AND NOT EXISTS (SELECT 1 FROM run_tags o
	JOIN parameter p ON p.name = o.name WHERE o.run_id = s.run_id AND o.kind = 'parameter'
	AND p.name <> c.name AND CAST(o.value AS REAL) < p.most);

-- :keep sizes
SELECT MIN(x) AS least, MAX(x) AS most, 10 * MAX(x) AS later, COUNT(DISTINCT x) AS count, COUNT(*) AS runs,
	(SELECT name FROM chosen) AS parameter, (SELECT is_threads FROM chosen) AS is_threads FROM point;

-- :note few_sizes warning
SELECT 'Two sizes tell of no law: only exponents are shown.' AS text,
	'Record four sizes or more.' AS advice FROM sizes WHERE count = 2;
-- :note no_repeats warning
SELECT 'Each size was recorded once: noise is only known from how far the times are off their law.'
	AS text, 'prof-record --repeat 3 tells them apart.' AS advice FROM sizes WHERE runs = count AND count > 2;

-- A function is the same in all runs by name, file and line. Where it was not called, it took nothing.
-- In a short run one may be counted and not timed, and who calls it has its time: such runs do
-- not count for the time of either, but for a caller's where all are so.
-- :keep function_value
WITH holders AS (SELECT DISTINCT e.run_id, e.caller_id FROM point p JOIN call_edges e USING (run_id)
	JOIN functions c ON c.run_id = e.run_id AND c.function_id = e.callee_id
	WHERE c.recording = 'counted' AND e.calls > 0),
named AS (SELECT f.*, p.x, (f.run_id, f.function_id) IN holders AS is_mixed,
	f.recording = 'counted' AS is_untimed, IFNULL(f.linkage_name, f.full_name) || ':' || IFNULL(f.file, IFNULL(f.module, ''))
	|| ':' || IFNULL(f.line, 0) AS key FROM point p JOIN functions f USING (run_id)
	WHERE fits(f.name) AND (f.calls > 0 OR f.self_ns > 0 OR f.owned_alloc_count > 0)),
known AS (SELECT key, MAX(name) AS name, MAX(function_id) AS function_id, MAX(file) AS file, MAX(line) AS line,
	MAX(calls IS NOT NULL) AS has_calls, MIN(is_mixed) AS is_always_mixed FROM named GROUP BY key)
SELECT k.key, k.name, k.function_id, k.file, k.line, p.run_id, p.x, IIF(k.has_calls, IFNULL(SUM(n.calls), 0), NULL) AS calls,
	CASE WHEN IFNULL(MAX(n.is_mixed), 0) <= k.is_always_mixed AND MAX(n.is_untimed) IS NOT 1
	THEN MAX(0, IFNULL(SUM(IIF(:is_split, n.self_cpu_ns, n.self_ns)), 0)) END AS own_ns, IFNULL(SUM(n.self_error_ns), 0) AS own_error_ns,
	CASE WHEN IFNULL(MAX(n.is_mixed), 0) <= k.is_always_mixed AND MAX(n.is_untimed) IS NOT 1
	THEN MAX(0, IFNULL(SUM(n.self_ns), 0)) END AS self_ns,
	MAX(0, IFNULL(SUM(n.total_ns), 0)) AS total_ns,
	IFNULL(SUM(n.total_error_ns), 0) AS total_error_ns, MAX(0, IFNULL(SUM(n.self_blocked_ns), 0)) AS blocked_ns,
	IFNULL(SUM(n.self_ready_error_ns), 0) AS blocked_error_ns, MAX(0, IFNULL(SUM(n.self_ready_ns), 0)) AS ready_ns,
	IFNULL(SUM(n.owned_alloc_count), 0) AS alloc_count, IFNULL(SUM(n.owned_alloc_bytes), 0) AS alloc_bytes
FROM known k JOIN point p LEFT JOIN named n ON n.key = k.key AND n.run_id = p.run_id
GROUP BY k.key, p.run_id;

-- :keep function_fit
SELECT key, name, MAX(function_id) AS function_id, file, line, scaling(x, calls, NULL) AS calls,
	scaling(x, own_ns, own_error_ns) AS own, scaling(x, self_ns, own_error_ns) AS self,
	scaling(x, total_ns, total_error_ns) AS total, scaling(x, blocked_ns, blocked_error_ns) AS blocked,
	scaling(x, alloc_count, NULL) AS alloc_count, scaling(x, alloc_bytes, NULL) AS alloc_bytes,
	AVG(own_ns) FILTER (WHERE x = most) AS now_ns, AVG(calls) FILTER (WHERE x = most) AS now_calls,
	AVG(own_error_ns) FILTER (WHERE x = most) AS now_error_ns,
	AVG(blocked_ns) FILTER (WHERE x = least) AS least_blocked_ns, AVG(blocked_ns) FILTER (WHERE x = most) AS now_blocked_ns,
	AVG(own_ns) FILTER (WHERE x = least) AS least_ns
FROM function_value JOIN sizes GROUP BY key;

-- A time is no larger than its error: it says nothing of growth. Its calls do, if each takes as
-- long as now.
-- :keep foretold
SELECT *, CASE WHEN is_told THEN scaling_at(own, later) END AS later_ns,
	CASE WHEN is_told THEN scaling_at(own, later, 'low') END AS later_low_ns,
	CASE WHEN is_told THEN scaling_at(own, later, 'high') END AS later_high_ns
FROM (SELECT *, now_ns > now_error_ns AND now_ns > 0 AND own IS NOT NULL AND scaling_is(own, 'law') <> '?' AS is_told
	FROM function_fit) JOIN sizes;

-- When a function takes half of it all: looked for at four values in each doubling, up to a
-- million times the largest.
-- :keep overtaking
WITH RECURSIVE step(k, x) AS (SELECT 0, most FROM sizes
	UNION ALL SELECT k + 1, x * 1.189207115 FROM step WHERE k < 80),
heavy AS (SELECT key, own FROM foretold WHERE is_told ORDER BY later_ns DESC LIMIT 400),
course AS (SELECT key, k, x, scaling_at(own, x) AS ns FROM heavy JOIN step),
half AS (SELECT *, 2 * ns >= SUM(ns) OVER (PARTITION BY k) AS is_most FROM course)
SELECT key, MIN(k) AS k, MIN(x) AS x FROM half WHERE is_most GROUP BY key;

-- How a fit is told: its law, and its exponent.
-- :keep told
SELECT f.*, scaling_is(own, 'law') AS law, scaling_is(calls, 'law') AS calls_law,
	CASE WHEN scaling_is(own, 'high') - scaling_is(own, 'low') < 2 THEN
	printf('%.2f ±%.2f', ROUND(scaling_is(own, 'exponent'), 2) + 0.0,
		MAX(0.01, (scaling_is(own, 'high') - scaling_is(own, 'low')) / 2)) END AS exponent_text,
	100.0 * now_ns / NULLIF(SUM(now_ns) OVER (), 0) AS now_percent,
	100.0 * later_ns / NULLIF(SUM(later_ns) OVER (), 0) AS later_percent,
	(later_high_ns - later_low_ns) / 2 AS later_error_ns, o.k, o.x AS overtakes
FROM foretold f LEFT JOIN overtaking o USING (key);

-- :note untimed warning
SELECT 'The time of ' || counted('function', COUNT(*)) || ' is not known: the runs were too short to sample them.'
	AS text, 'Record larger sizes, or with --level=exact.' AS advice
FROM function_fit WHERE now_ns IS NULL AND now_calls > 1 HAVING COUNT(*) > 0;

-- :note about
SELECT counted('run', runs) || ' of {command}: {parameter} = '
	|| (SELECT GROUP_CONCAT(number, ', ') FROM (SELECT printf('%.15g', x) AS number FROM point GROUP BY x ORDER BY x))
	|| IFNULL((SELECT ', with ' || GROUP_CONCAT(p.name || ' = ' || printf('%.15g', p.most), ', ')
		FROM parameter p WHERE p.name <> parameter), '') || '.' AS text,
	(SELECT template FROM meant_run) AS command, parameter FROM sizes;

-- ------------------------------------------------------------ the answer in a sentence

-- :note worst
SELECT CASE WHEN k = 0 THEN '{name} is most of the CPU time already and grows as {law}: '
	ELSE '{name} grows as {law} and is most of the CPU time from {parameter} = {at} on: ' END
	|| '{now_ns} at {most}' || ', {later_ns} ({later_low_ns} to {later_high_ns}) at {later}.'
	|| IIF(calls_law NOT IN (law, '?'), ' Its calls grow as {calls_law}.', '') AS text, calls_law,
	name, law, (SELECT parameter FROM sizes) AS parameter,
	CAST(CAST(printf('%.1e', overtakes) AS REAL) AS INTEGER) AS "at/count",
	now_ns, printf('%.15g', most) AS most, later_ns, later_low_ns, later_high_ns, printf('%.15g', later) AS later
FROM told WHERE k IS NOT NULL AND law NOT IN ('1', 'log n', 'n') AND :argument IS NULL
	AND NOT (SELECT is_threads FROM sizes) AND scaling_is(own, 'low') > 1.1
ORDER BY later_ns DESC LIMIT 1;

-- :note nothing_worse
SELECT 'No function whose time is known is known to grow faster than {parameter}.' AS text, parameter FROM sizes
WHERE :argument IS NULL AND NOT is_threads AND EXISTS (SELECT 1 FROM told WHERE is_told) AND NOT EXISTS (SELECT 1
	FROM told WHERE law NOT IN ('1', 'log n', 'n') AND scaling_is(own, 'low') > 1.1);

-- ------------------------------------------------------------ one parameter of size

-- :table functions main optional stack sort rows=15 by=later_ns,name noun=function
SELECT later_percent AS ".later_percent", now_ns AS "own CPU!:now_ns", now_percent AS ".now_percent", CAST(later_ns AS INTEGER) AS "at 10x!:later_ns",
	CAST(later_error_ns AS INTEGER) AS ".later_error_ns",
	CAST(later_low_ns AS INTEGER) AS ".later_low_ns", CAST(later_high_ns AS INTEGER) AS ".later_high_ns",
	CASE WHEN is_told THEN law END AS "grows!:law/text", CASE WHEN is_told THEN exponent_text END AS "k!:~exponent_text/text",
	scaling_is(own, 'exponent') AS ".exponent/any", scaling_is(own, 'low') AS ".exponent_low/any",
	scaling_is(own, 'high') AS ".exponent_high/any",
	calls_law AS "calls!:calls_law/text", scaling_is(calls, 'exponent') AS ".calls_exponent/any",
	scaling_is(calls, 'exact') AS ".calls_exact/flag", now_calls AS ".now_calls",
	CASE WHEN k = 0 THEN 'now' WHEN k > 0 THEN people('count',
		CAST(CAST(printf('%.1e', overtakes) AS REAL) AS INTEGER)) END AS "overtakes!:~overtakes_text/text",
	CASE WHEN k >= 0 THEN overtakes END AS ".overtakes/any",
	name AS "function!:name", file AS ".file", line AS ".line/id"
FROM told WHERE :argument IS NULL AND NOT is_threads AND (is_told OR now_calls > 0);

-- What counts are of the whole run, beside its times.
-- :keep run_fit
WITH sums AS (SELECT run_id, SUM(calls) AS calls, SUM(own_ns) AS own_ns, SUM(own_error_ns) AS own_error_ns,
	SUM(ready_ns) AS ready_ns, SUM(blocked_ns) AS blocked_ns FROM function_value GROUP BY run_id),
known AS (SELECT p.x, p.run_id, p.wall_ns, s.own_ns, s.own_error_ns, s.calls, p.alloc_count, p.alloc_bytes, p.peak_bytes,
	p.live_bytes_at_exit AS live, s.blocked_ns FROM point p JOIN sums s USING (run_id)),
each(place, name, title, is_time, is_bytes, x, value, error) AS (
	SELECT 1, 'wall', 'wall time', 1, 0, x, wall_ns, 0 FROM known
	UNION ALL SELECT 2, 'cpu', 'CPU time', 1, 0, x, own_ns, own_error_ns FROM known
	UNION ALL SELECT 3, 'blocked', 'time blocked', 1, 0, x, blocked_ns, 0 FROM known
	UNION ALL SELECT 4, 'calls', 'calls', 0, 0, x, calls, NULL FROM known
	UNION ALL SELECT 5, 'alloc_count', 'allocations', 0, 0, x, alloc_count, NULL FROM known
	UNION ALL SELECT 6, 'alloc_bytes', 'bytes allocated', 0, 1, x, alloc_bytes, NULL FROM known
	UNION ALL SELECT 7, 'peak', 'peak of memory', 0, 1, x, peak_bytes, NULL FROM known
	UNION ALL SELECT 8, 'live', 'live at exit', 0, 1, x, live, NULL FROM known)
SELECT place, name, title, CASE WHEN is_time THEN 'ns' WHEN is_bytes THEN 'bytes' ELSE 'count' END AS unit,
	scaling(x, value, error) AS fit, AVG(value) FILTER (WHERE x = most) AS now
FROM each JOIN sizes GROUP BY place HAVING MAX(value) > 0;

-- The quantities of one function, in the same columns.
-- :keep of_function
SELECT * FROM function_fit WHERE key = (SELECT key FROM function_value WHERE name =
	(SELECT name FROM functions WHERE :argument IS NOT NULL AND function_id = meant(:argument)) LIMIT 1);

-- :keep part_fit
SELECT 1 AS place, 'calls' AS name, 'calls' AS title, 'count' AS unit, calls AS fit, now_calls AS now FROM of_function
UNION ALL SELECT 2, 'cpu', 'own CPU', 'ns', own, now_ns FROM of_function
UNION ALL SELECT 3, 'total', 'total time', 'ns', total, (SELECT AVG(total_ns) FROM function_value v JOIN sizes
	WHERE v.key = f.key AND x = most) FROM of_function f
UNION ALL SELECT 4, 'blocked', 'blocked', 'ns', blocked, now_blocked_ns FROM of_function
UNION ALL SELECT 5, 'alloc_count', 'allocations', 'count', alloc_count, (SELECT AVG(alloc_count) FROM function_value v
	JOIN sizes WHERE v.key = f.key AND x = most) FROM of_function f
UNION ALL SELECT 6, 'alloc_bytes', 'bytes allocated', 'bytes', alloc_bytes, (SELECT AVG(alloc_bytes) FROM
	function_value v JOIN sizes WHERE v.key = f.key AND x = most) FROM of_function f;

-- :table quantities whole optional = {title}
SELECT name AS ".name/text", title AS "quantity!:~quantity/text",
	now AS ".now/any", people(unit, CAST(now AS INTEGER)) AS "now!:~now_text/figure",
	CASE WHEN is_told THEN scaling_is(fit, 'law') END AS "grows!:law/text",
	CASE WHEN scaling_is(fit, 'exact') AND scaling_is(fit, 'high') - scaling_is(fit, 'low') < 0.1
		THEN printf('%.2f', ROUND(scaling_is(fit, 'exponent'), 2) + 0.0)
	WHEN is_told THEN printf('%.2f ±%.2f', ROUND(scaling_is(fit, 'exponent'), 2) + 0.0,
		(scaling_is(fit, 'high') - scaling_is(fit, 'low')) / 2) END AS "k!:~exponent_text/text",
	scaling_is(fit, 'exponent') AS ".exponent/any", scaling_is(fit, 'low') AS ".exponent_low/any",
	scaling_is(fit, 'high') AS ".exponent_high/any", scaling_is(fit, 'exact') AS ".exact/flag",
	scaling_at(fit, later) AS ".later/any", scaling_at(fit, later, 'low') AS ".later_low/any",
	scaling_at(fit, later, 'high') AS ".later_high/any",
	CASE WHEN is_told THEN people(unit, CAST(scaling_at(fit, later) AS INTEGER)) END AS "at 10x!:~later_text/figure",
	CASE WHEN is_told AND NOT scaling_is(fit, 'exact') THEN people(unit, CAST(scaling_at(fit, later, 'low') AS INTEGER)) || ' to '
		|| people(unit, CAST(scaling_at(fit, later, 'high') AS INTEGER)) END AS "between:~bounds_text/text",
	IIF(:argument IS NULL, 'The whole run', (SELECT name FROM of_function)) AS "-title"
FROM (SELECT *, scaling_is(fit, 'exact') OR scaling_is(fit, 'high') - scaling_is(fit, 'low') < 2 AS is_told
	FROM (SELECT * FROM run_fit WHERE :argument IS NULL AND now > 0 AND (:machine OR NOT (SELECT is_threads FROM sizes)) UNION ALL SELECT * FROM part_fit WHERE now > 0)) JOIN sizes
ORDER BY place;

-- ------------------------------------------------------------ call edges

-- :keep edge_fit
WITH named AS (SELECT e.*, p.x FROM point p JOIN call_edges e USING (run_id)
	WHERE e.calls > 0 AND (fits(e.caller) OR fits(e.callee))),
known AS (SELECT DISTINCT caller, callee FROM named)
SELECT caller, callee, scaling(x, calls, NULL) AS calls, AVG(calls) FILTER (WHERE x = most) AS now_calls,
	scaling(x, MAX(0, total_ns), 0) AS total, AVG(total_ns) FILTER (WHERE x = most) AS now_total_ns
FROM (SELECT k.caller, k.callee, p.x, IFNULL(SUM(n.calls), 0) AS calls, IFNULL(SUM(n.total_ns), 0) AS total_ns
	FROM known k JOIN point p LEFT JOIN named n ON n.run_id = p.run_id AND n.caller = k.caller AND n.callee = k.callee
	GROUP BY k.caller, k.callee, p.run_id) JOIN sizes GROUP BY caller, callee;

-- :table edges optional rows=8 noun=call_edge by=later_calls,caller = Calls
SELECT CAST(now_calls AS INTEGER) AS "calls!:now_calls", CAST(scaling_at(calls, later) AS INTEGER) AS "at 10x!:later_calls",
	scaling_is(calls, 'law') AS "grow!:law/text", scaling_is(calls, 'exponent') AS ".exponent/any",
	scaling_is(calls, 'low') AS ".exponent_low/any", scaling_is(calls, 'high') AS ".exponent_high/any",
	printf('%.2f', ROUND(scaling_is(calls, 'exponent'), 2) + 0.0) AS "k!:~exponent_text/text",
	CAST(now_total_ns AS INTEGER) AS ".now_total_ns", scaling_is(total, 'law') AS ".total_law/text",
	scaling_is(total, 'exponent') AS ".total_exponent/any",
	caller AS "caller!:caller/name", callee AS "callee!:callee/name"
FROM edge_fit JOIN sizes WHERE NOT is_threads AND (:argument IS NULL OR (SELECT name FROM of_function) IN (caller, callee));

-- ------------------------------------------------------------ threads

-- :keep speeds
SELECT x, AVG(wall_ns) AS wall_ns, COUNT(*) AS runs, (SELECT AVG(wall_ns) FROM point JOIN sizes WHERE x = least) AS first_ns,
	(SELECT least FROM sizes) AS first, MAX(cpu_count) AS cpu_count, MAX(wall_ns) - MIN(wall_ns) AS spread_ns
FROM point GROUP BY x;

-- :note serial
SELECT 'Serial share {share_percent} ({low_percent} to {high_percent}) by Amdahl''s law: at most '
	|| printf('%.1f', 1 / MAX(share, 0.001)) || ' times as fast with any number of {parameter}.' AS text,
	100 * share AS share_percent, 100 * low AS low_percent, 100 * high AS high_percent, parameter
FROM (SELECT found ->> 0 AS share, found ->> 1 AS low, found ->> 2 AS high, parameter FROM
	(SELECT serial_share(x, wall_ns, 0) AS found, (SELECT parameter FROM sizes) AS parameter FROM point))
WHERE share IS NOT NULL AND (SELECT is_threads AND count > 2 FROM sizes);

-- :note more_than_cpus
SELECT 'The machine has {cpu_count}: more {parameter} than that wait for each other.' AS text,
	counted('CPU', MAX(cpu_count)) AS "cpu_count/text", (SELECT parameter FROM sizes) AS parameter
FROM speeds WHERE (SELECT is_threads FROM sizes) HAVING MAX(x) > MAX(cpu_count);

-- :table speedups optional whole = Speed-up
SELECT printf('%.15g', x) AS "threads!:x/figure", CAST(wall_ns AS INTEGER) AS "wall!:wall_ns",
	CAST(spread_ns / 2 AS INTEGER) AS ".wall_error_ns",
	first_ns / wall_ns AS ".speedup/any", printf('%.2f', first_ns / wall_ns) AS "speed-up!:~speedup_text/figure",
	100.0 * first_ns / wall_ns * first / x AS "efficiency!:efficiency_percent", runs AS "runs:runs/count"
FROM speeds WHERE (SELECT is_threads FROM sizes) AND wall_ns > 0 ORDER BY speeds.x;

-- What was waited for: locks and signals by who waited, and the CPU; means of a run.
-- :keep waits
WITH each AS (SELECT p.x, 'lock ' || w.name AS what, w.waiter, w.holder, SUM(w.wait_ns) AS ns FROM point p JOIN lock_waits w
	USING (run_id) GROUP BY p.run_id, w.name, w.waiter, w.holder
UNION ALL SELECT p.x, w.kind || ' ' || w.name, w.waiter, w.signaller, SUM(w.wait_ns) FROM point p JOIN signals w
	USING (run_id) GROUP BY p.run_id, w.kind, w.name, w.waiter, w.signaller
UNION ALL SELECT x, 'a CPU', name, NULL, SUM(ready_ns) FROM function_value GROUP BY run_id, name HAVING SUM(ready_ns) > 0)
SELECT what, waiter, holder, TOTAL(ns) FILTER (WHERE x = least) / MAX(1, (SELECT COUNT(*) FROM point WHERE x = least)) AS least_ns,
	TOTAL(ns) FILTER (WHERE x = most) / MAX(1, (SELECT COUNT(*) FROM point WHERE x = most)) AS most_ns
FROM each JOIN sizes GROUP BY what, waiter, holder;

-- :table waits optional rows=10 by=most_ns,what noun=wait = What was waited for
SELECT CAST(most_ns AS INTEGER) AS "with most!:most_ns", CAST(least_ns AS INTEGER) AS "with least!:least_ns",
	what AS "for!:what/text", waiter AS "by!:waiter/name", holder AS "held by:?holder/name"
FROM waits WHERE most_ns >= 10000 AND (SELECT is_threads FROM sizes)
	AND (:argument IS NULL OR (SELECT name FROM of_function) IN (waiter, holder));

-- :table thread_functions optional rows=10 by=now_ns,name noun=function = Cost of more threads
SELECT CAST(now_ns AS INTEGER) AS "own CPU!:now_ns", CAST(now_error_ns AS INTEGER) AS ".now_error_ns",
	CAST(least_ns AS INTEGER) AS "with least!:least_ns",
	CASE WHEN is_told THEN law END AS "grows!:law/text", CASE WHEN is_told THEN exponent_text END AS "k!:~exponent_text/text",
	scaling_is(own, 'exponent') AS ".exponent/any", CAST(now_blocked_ns AS INTEGER) AS "blocked:now_blocked_ns",
	name AS "function!:name"
FROM told WHERE is_threads AND :argument IS NULL;

-- ------------------------------------------------------------ measured, and foretold to ten times

-- :plots growth_plot points=60
WITH RECURSIVE step(point) AS (SELECT 0 UNION ALL SELECT point + 1 FROM step WHERE point < 59),
drawn AS (SELECT *, ROW_NUMBER() OVER (ORDER BY later_ns DESC) AS place FROM told
	WHERE is_told AND NOT is_threads AND (:argument IS NULL OR key IN (SELECT key FROM of_function))),
curve AS (SELECT place, name, point, scaling_at(own, later * (point + 1) / 60.0) AS value,
	MAX(later_ns) OVER () AS peak, (SELECT parameter FROM sizes) || ' = ' || printf('%.15g, measured to %.15g', later, most) AS span
	FROM drawn JOIN step WHERE place <= 4)
SELECT place AS "plot/id", name AS title, 'ns' AS unit, point AS "point/id", value AS "value/any",
	MAX(value) OVER (PARTITION BY place) AS "peak/any", 0 AS span_ns, span FROM curve ORDER BY place, point;

-- ------------------------------------------------------------ the gate

-- :keep growth_limit
SELECT '' AS text, '' AS metric, '' AS function, '' AS law WHERE 0;
-- :code growth_limits fills=growth_limit

-- :keep growth_checks
WITH asked AS (SELECT l.rowid AS place, l.*, (SELECT name FROM functions WHERE function <> ''
	AND function_id = meant(function)) AS of_function FROM growth_limit l),
found AS (SELECT a.place, a.text, a.law, f.name, CASE a.metric WHEN 'calls' THEN f.calls WHEN 'cpu' THEN f.own WHEN 'self' THEN f.self
	WHEN 'total' THEN f.total WHEN 'alloc_count' THEN f.alloc_count ELSE f.alloc_bytes END AS fit
	FROM asked a JOIN function_fit f ON a.metric NOT IN ('wall', 'peak', 'live')
	AND (a.function = '' OR f.name = a.of_function)
UNION ALL SELECT a.place, a.text, a.law, 'the run', f.fit FROM asked a JOIN run_fit f
	ON f.name = a.metric AND a.metric IN ('wall', 'peak', 'live')),
held AS (SELECT *, scaling_held(fit, law) AS result, scaling_is(fit, 'low') AS low FROM found WHERE fit IS NOT NULL)
SELECT a.place, a.text, CASE WHEN SUM(result = 'exceeded') THEN 'exceeded' WHEN SUM(result = 'inconclusive')
	THEN 'inconclusive' WHEN SUM(result = 'kept') THEN 'kept' ELSE 'not measured' END AS result,
	IFNULL((SELECT GROUP_CONCAT(told, ', ') FROM (SELECT w.name || ' ' || IIF(scaling_is(w.fit, 'law') IN ('?', 'n^2', 'n^3'),
		printf('n^%.2f', scaling_is(w.fit, 'exponent')), scaling_is(w.fit, 'law')) AS told
		FROM held w WHERE w.place = a.place AND w.result = 'exceeded' ORDER BY w.low DESC LIMIT 5)),
	IIF(MAX(h.name) = 'the run', NULL, counted('function', COUNT(h.name)) || ', ' || SUM(result = 'inconclusive')
		|| ' inconclusive')) AS message
FROM asked a LEFT JOIN held h USING (place) GROUP BY a.place;

-- :table gate whole optional checks = Gate
SELECT text AS "check!:check/text", result AS "result!:result/text", result = 'exceeded' AS ".failed/flag",
	message AS "because!:message/text" FROM growth_checks ORDER BY place;

-- :code gate
SELECT CASE WHEN SUM(result = 'exceeded') THEN 3 WHEN SUM(result = 'not measured') THEN 4 ELSE 0 END AS "status/any"
FROM growth_checks;
