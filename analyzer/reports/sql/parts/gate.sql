-- SPDX-License-Identifier: MIT
-- The gate of a comparison: each check that --gate and --fail-on ask for, its result, and the
-- exit status. Status 3: a check failed. 4: none failed, but one could not be made. 0: all
-- passed. A gate that measured nothing never passes.
-- failed, but one could not be made. 0: all held; so a gate that measured nothing never passes.
-- :part gate

-- --gate: the given limits. --fail-on: each total without a limit of its own (more calls alone
-- are no regression), and functions that became slower for sure by an amount that matters.
-- :keep checks
WITH limits AS (SELECT l.rowid AS row, l.*, w.before, w.after, f.presence, f.is_judged, c.before AS calls,
	function IS NULL AS is_run FROM compared_limits l JOIN totals w ON w.name = 'wall_ns'
	JOIN totals c ON c.name = 'calls' LEFT JOIN compared_functions f ON f.rowid = l.function + 1),
regressed AS (SELECT w.* FROM weights w JOIN totals t ON t.name = IIF(has_cpu, 'cpu_ns', 'self_ns')
	WHERE part = 'functions' AND w.verdict = 'regressed' AND after_ns - before_ns >= 0.005 * before),
asked AS (SELECT 1 AS turn, row AS place, text AS "check", row AS limited, NULL AS total, NULL AS function, is_time,
	presence = 3 AND is_time AND NOT is_judged AS is_apart, CASE
	WHEN presence = 1 THEN 'no run after has the function'
	WHEN presence = 2 THEN 'no run before has the function'
	WHEN NOT is_run AND is_time AND NOT is_judged THEN IIF(has_levels, 'level_differs',
	'one side timed it call by call, the other estimated its time')
	WHEN metric = 'cpu' AND NOT has_cpu THEN 'not every recording separates CPU time from
	waits'
	WHEN is_run AND metric IN ('self', 'cpu', 'calls') AND calls <= 0 THEN 'no call was counted before'
	WHEN is_run AND metric = 'wall' AND MIN(before, after) <= 0
	THEN 'the wall time of a run is not known' END AS obstacle
	FROM limits JOIN not_comparable JOIN known WHERE text IS NOT NULL
UNION ALL SELECT 2, t.turn, t.metric || ' (regression)', NULL, place, NULL, name LIKE '%ns', 0, NULL
	FROM (SELECT *, IIF(name = 'self_ns', 2, place) AS turn, CASE name WHEN 'peak_bytes' THEN 'peak'
	WHEN 'live_bytes_at_exit' THEN 'live' ELSE replace(name, '_ns', '') END AS metric FROM totals) t
	JOIN known JOIN compared_limits l ON l.text IS NULL
	WHERE name NOT IN ('hooks_ns', 'raw_wall_ns', 'calls') AND (before > 0 OR name NOT IN ('self_ns', 'cpu_ns'))
	AND (has_cpu OR name <> 'cpu_ns') AND t.metric NOT IN (SELECT metric FROM limits WHERE is_run AND metric IS NOT NULL)
UNION ALL SELECT 3, number, 'func:' || name || IIF(has_cpu, '.cpu', '.self') || ' (regression)', NULL, NULL,
	number, 1, 0, NULL FROM regressed JOIN compared_limits l ON l.text IS NULL AND on_regression),
made AS (SELECT *, IFNULL("all", IIF(is_time, times, NULL)) AS why,
	IIF(obstacle IS NULL, held('result', limited, total, function), '') AS result,
	IIF(obstacle IS NULL, held('words', limited, total, function), '') AS words
	FROM asked JOIN not_comparable)
SELECT "check", CASE WHEN obstacle IS NOT NULL THEN IIF(is_apart, 'not comparable', 'not measured')
	WHEN why IS NOT NULL THEN 'not comparable' ELSE result END AS result,
	CASE WHEN obstacle IS NOT NULL THEN obstacle WHEN why IS NOT NULL THEN words || ' (' || why || ')'
	WHEN result = 'not measured' THEN 'cannot be judged, at least four runs a side are needed: ' || words
	WHEN result = 'within the error' THEN words || ': the hooks'' cost is not known well
	enough'
	ELSE words END AS message,
	CASE WHEN why IS NULL AND result = 'not measured' THEN 1 ELSE 0 END AS wants_runs,
	CASE WHEN why IS NULL AND result = 'within the error' THEN 1 ELSE 0 END AS is_vague
FROM made ORDER BY turn, place;

-- Zero on both sides means that nothing was measured.
-- :keep passed
WITH measured AS (SELECT MAX(before > 0) AND MAX(after > 0) AS is_measured,
	(SELECT MAX(on_inconclusive) FROM compared_limits) AS on_inconclusive,
	(SELECT COUNT(*) > 0 FROM compared_limits) AS has_gate
	FROM totals WHERE name IN ('calls', 'self_ns', 'alloc_count')),
counts AS (SELECT COUNT(*) AS count, COUNT(*) FILTER (WHERE result = 'exceeded') AS failed,
	COUNT(*) FILTER (WHERE result = 'inconclusive') AS inconclusive,
	COUNT(*) FILTER (WHERE result IN ('not measured', 'not comparable', 'within the error')) AS not_made,
	MAX(wants_runs) AS wants_runs, MAX(is_vague) AS is_vague FROM checks)
SELECT *, CASE WHEN NOT is_measured THEN 4 WHEN NOT has_gate THEN 0
	WHEN failed OR inconclusive AND on_inconclusive THEN 3
	WHEN not_made OR count = 0 THEN 4 ELSE 0 END AS status FROM measured JOIN counts;

-- :note nothing_measured warning
SELECT 'Nothing was measured on at least one side: no instrumented function was called and no
	allocation was seen.' AS text, '''prof-analyze doctor'' shows what is known about the
	reason.' AS advice
FROM passed WHERE NOT is_measured AND NOT has_gate;

-- What would make it judgeable: commands that can be pasted, or advice that needs no more runs.
-- Commands are stored quoted for a shell.
-- :note gate_conclusion
WITH word AS (SELECT rowid, *, IIF(path GLOB '*[^-a-zA-Z0-9_./+,:@%]*' OR path = '',
	'''' || replace(path, '''', '''\''''') || '''', path) AS place,
	IIF(label GLOB '*[^-a-zA-Z0-9_./+,:@%]*', '''' || replace(label, '''', '''\''''') || '''', label) AS name
	FROM compared_runs),
recording AS (SELECT side, MIN(rowid), job, 'prof-record --repeat 10 -o ' || place
	|| IFNULL(' --append --label ' || name, '') || ' -- ' || IFNULL(command, './app') AS text
	FROM word GROUP BY side)
SELECT IIF(status = 0, 'good', 'warning') AS level, CASE status WHEN 0 THEN 'gate: passed: '
	WHEN 4 THEN 'gate: cannot be judged: ' ELSE 'gate: failed: ' END
	|| IIF(is_measured, '', 'nothing was measured on a side; ') || counted('check', count) || ', '
	|| failed || ' failed, ' || inconclusive || ' inconclusive, ' || not_made || ' not made' AS text,
	CASE WHEN status <> 4 THEN NULL WHEN wants_runs THEN IIF(b.job IS NOT NULL OR a.job IS NOT NULL,
	'Record at least four jobs of each side. ', 'Record more runs of both: ' || b.text
	|| IIF(a.text <> b.text, ' and ' || a.text, '') || ' (or both in turns, see prof-record --against). ')
	|| 'Counts and bytes can be a gate with one run a side: --gate calls=0%,alloc_bytes=0%.'
	WHEN is_vague THEN 'More runs will not help. '
	|| IIF((SELECT MIN(has_budget) FROM compared_runs), 'L', 'Record with a budget (PROFSHIM_OVERHEAD=5), or l')
	|| 'eave the most called functions out of both builds (''prof-analyze exclude-list'');
	wall times of
	builds without hooks are not touched.' END AS advice
FROM passed JOIN recording b ON b.side = 'before' JOIN recording a ON a.side = 'after' WHERE has_gate;

-- :table gate whole optional checks
SELECT "check" AS "check!:check/text", result AS "result!:result/text", result = 'exceeded' AS ".failed/flag",
	message AS "because!:message/text" FROM checks ORDER BY rowid;

-- :code gate
SELECT status AS "status/any" FROM passed;
