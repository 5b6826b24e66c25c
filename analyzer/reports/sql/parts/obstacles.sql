-- SPDX-License-Identifier: MIT
-- What makes two sides hard or impossible to compare; a difference in instrumentation looks like
-- functions that came or went. No number is comparable if a run did not end by itself or numbers
-- are missing. Times are not if the processor or clock differs. Everything else is stated and
-- left to the reader: CI containers have a new host name each time, and times of another level
-- carry another error.
-- :part obstacles

-- What the runs must have in common.
-- :keep texts
SELECT rowid AS place, 1 AS turn, 'command_differs' AS note, 'The commands' AS what,
	command AS value, '.' AS ending FROM compared_runs
UNION ALL SELECT rowid, 2, 'level_differs', 'The levels of recording', level, '; the run''s times
	are judged with the errors of both, those of single functions not at all.'
	FROM compared_runs
UNION ALL SELECT rowid, 3, 'cpu_differs', 'The processors', cpu_model, '; times cannot be
	compared.' FROM compared_runs
UNION ALL SELECT rowid, 4, 'host_differs', 'The machines', host, '.' FROM compared_runs
UNION ALL SELECT rowid, 5, 'kernel_differs', 'The kernels', kernel, '.' FROM compared_runs
UNION ALL SELECT rowid, 6, 'clock_differs', 'The clocks', clock, '; times cannot be compared.'
	FROM compared_runs
UNION ALL SELECT rowid, 7, 'version_differs', 'The versions of profshim', version, '.'
	FROM compared_runs;

-- A job must have every rank that the launcher started: its sums are over all ranks.
-- :keep jobs
SELECT MIN(rowid) AS place, side, run_id, job, rank_count, repetition, COUNT(*) AS count
FROM compared_runs GROUP BY repetition;

-- :keep obstacles
SELECT 1 AS turn, 0 AS place, 'same_run' AS note, 'Both sides are the same run.' AS text,
	NULL AS advice FROM (SELECT COUNT(*) AS runs, COUNT(DISTINCT path) AS paths,
	COUNT(DISTINCT run_id) AS ids FROM compared_runs) WHERE runs = 2 AND paths = 1 AND ids = 1
UNION ALL SELECT 2, 2 * rowid, 'incomplete', 'Run ' || run_id || ' (' || side || ') did
	not end by itself: its numbers are incomplete, and the sides cannot be compared.', NULL
	FROM compared_runs WHERE NOT complete
UNION ALL SELECT 2, 2 * rowid + 1, 'losses', 'Run ' || run_id || ' (' || side || ') lacks numbers ('
	|| losses || '): the sides cannot be compared.',
	'''prof-analyze doctor'' says what can be done.'
	FROM compared_runs WHERE losses IS NOT NULL
UNION ALL SELECT 3, MIN(place), 'ranks_missing', 'The job of run ' || run_id || ' (' || side
	|| ') had ' || rank_count || ' ranks, of which ' || count || IIF(count = 1, ' is', ' are')
	|| ' here: the sides cannot be compared.',
	'Record every rank into the same file, or name all files.'
	FROM jobs WHERE job IS NOT NULL AND rank_count > count HAVING COUNT(*)
UNION ALL SELECT 4, 0, 'rank_count_differs', 'The numbers of ranks differ: ' || b.count
	|| ' before and ' || a.count || ' after.', NULL
	FROM (SELECT count, MIN(repetition) FROM jobs WHERE side = 'before') b
	JOIN (SELECT count, MIN(repetition) FROM jobs WHERE side = 'after') a ON a.count <> b.count
UNION ALL SELECT 5, o.turn, o.note, o.what || ' differ: ''' || IFNULL(f.value, 'not known')
	|| ''' and ''' || IFNULL(o.value, 'not known') || '''' || o.ending, NULL
	FROM (SELECT MIN(place) AS place, turn, note, what, value, ending FROM texts t
	WHERE value IS NOT (SELECT value FROM texts f WHERE f.place = 1 AND f.turn = t.turn)
	GROUP BY turn) o JOIN texts f ON f.place = 1 AND f.turn = o.turn
UNION ALL SELECT 6, MIN(r.rowid), 'cpu_count_differs', 'The numbers of processors differ: '
	|| f.cpu_count || ' and ' || r.cpu_count || '; times cannot be compared.', NULL
	FROM compared_runs r JOIN compared_runs f ON f.rowid = 1
	WHERE r.cpu_count <> f.cpu_count HAVING COUNT(*)
UNION ALL SELECT 7, 0, 'hook_cost_differs', 'A hook pair cost ' || printf('%.1f', b.ns) || 'ns before and '
	|| printf('%.1f', a.ns) || 'ns after: the machine ran at a different speed, and
	times of short functions are uncertain.', 'Record both sides again, interleaved (prof-record --repeat).'
	FROM (SELECT AVG(hook_ns) AS ns, AVG(hook_error_ns) AS error FROM compared_runs
	WHERE side = 'before') b JOIN (SELECT AVG(hook_ns) AS ns, AVG(hook_error_ns) AS error
	FROM compared_runs WHERE side = 'after') a
	WHERE (b.ns * 1.2 < a.ns OR a.ns * 1.2 < b.ns) AND (a.ns - b.ns) * (a.ns - b.ns)
	> b.error * b.error + a.error * a.error
-- a run that did not tell waits from CPU time has no CPU time to compare
UNION ALL SELECT 8, 0, 'waits_differ', 'In run ' || run_id || ' (' || side || ')'
	|| IIF(count > 1, ' and others', '') || ' CPU time was not separated from waits'
	|| IIF(is_unasked, ' (PROFSHIM_WAITS=off)', '') || ': CPU time cannot be judged, nor
	whether a change is in CPU time or in waits. Functions'' times include waits.',
	'Record the waits of both sides.'
	FROM (SELECT MIN(rowid), run_id, side, is_unasked, COUNT(*) AS count FROM compared_runs
	WHERE NOT is_split AND calls > 0 HAVING COUNT(*))
	WHERE count < (SELECT COUNT(*) FROM compared_runs) OR is_unasked
-- functions of both sides that one side only counted
UNION ALL SELECT 9, 0, 'instrumented_differs', counted('function', count) || ' (such as '''
	|| name || ''') had hooks on one side only: calls and times seem to come or go there.',
	'Compile both sides with the same flags.'
	FROM (SELECT MIN(number), name, COUNT(*) AS count FROM compared_functions
	WHERE presence = 3 AND hooked IN (1, 2) HAVING COUNT(*));

-- Which obstacles prevent any comparison, and which only that of times.
-- :keep not_comparable
SELECT (SELECT note FROM obstacles WHERE note IN ('incomplete', 'losses', 'ranks_missing')
	ORDER BY turn, place LIMIT 1) AS "all",
	(SELECT note FROM obstacles WHERE note IN ('cpu_differs', 'clock_differs',
	'cpu_count_differs') ORDER BY turn, place LIMIT 1) AS times,
	EXISTS (SELECT 1 FROM obstacles WHERE note = 'level_differs') AS has_levels;
