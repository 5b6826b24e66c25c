-- SPDX-License-Identifier: MIT
-- :report why: what slow calls did that usual ones did not
-- :argument [FUNC]
-- :takes run limit sort maybe
-- :example prof-analyze why run.db handle
-- :about
-- The slowest calls of FUNC beside usual ones. A call's cause is the innermost path with
-- more than half of the extra time, and what happened there: it waited, usual calls do not
-- go there, it was called more often, it allocated far more, or it computed longer.
-- explains is the share of the extra time at and below that path. CPU wait is left out of
-- all other times. The second table compares the mean slow call with the mean usual one,
-- path by path below FUNC. FUNC is a name, as in callers, or that of a step; without it the
-- command lists the functions with kept calls: those in PROFSHIM_WHY, and up to four that
-- are slow now and then.

-- :include counted

-- :keep studied
SELECT s.study_id, s.function_id, s.name, s.kind, s.reason, s.calls AS studied_calls,
	COALESCE(f.calls, t.timed_count, s.calls) AS calls, s.missed_calls,
	s.ready_calls, s.ready_ns, s.folded_paths, s.cost_ns, s.kind = 'step' AS is_step,
	IFNULL(f.p50_ns, t.p50_ns) AS median_ns,
	(SELECT MAX(c.duration_ns - c.ready_ns) FROM study_cases c WHERE c.run_id = s.run_id
	AND c.study_id = s.study_id) AS slowest_ns
FROM studies s LEFT JOIN functions f ON f.run_id = s.run_id AND f.function_id = s.function_id
LEFT JOIN step_totals t ON t.run_id = s.run_id AND s.kind = 'step' AND t.name = s.name
	AND t.process_id IS NULL
WHERE s.run_id = :run AND (s.kind = 'step' OR f.function_id IS NOT NULL) AND s.name IS NOT NULL
ORDER BY slowest_ns DESC, s.study_id LIMIT 256;

-- Computed in C: each study, its slow calls and its paths.
-- :keep judged
SELECT 0 AS study_id, 0 AS slow_count, 0 AS usual_count, 0 AS median_ns WHERE 0;

-- :keep slow
SELECT 0 AS study_id, 0 AS case_id, 0 AS duration_ns, 0 AS is_first, '' AS kind, 0 AS path,
	0 AS path_id, '' AS name, 0 AS most_path, 0 AS most_path_id, '' AS most_name,
	0 AS difference_ns, 0 AS explained_ns, 0 AS waited_ns, 0 AS calls, 0 AS usual_calls,
	0 AS self_ns, 0 AS blocked_ns, 0 AS usual_blocked_ns, 0 AS alloc_count,
	0 AS usual_alloc_count, 0 AS alloc_bytes, 0 AS usual_alloc_bytes WHERE 0;

-- :keep study_paths
SELECT 0 AS study_id, 0 AS path_id, '' AS name, 0 AS self_ns, 0 AS usual_self_ns, 0 AS calls,
	0 AS usual_calls, 0 AS blocked_ns, 0 AS usual_blocked_ns, 0 AS alloc_bytes,
	0 AS usual_alloc_bytes, 0 AS alloc_count, 0 AS usual_alloc_count, 0 AS slow_count,
	0 AS usual_count WHERE 0;

-- :code studies brief fills=judged,slow,study_paths
SELECT study_id, function_id, name, is_step AS "is_step/flag", median_ns FROM studied;

-- The longest wait in a call with a known holder. Most of it must lie within the call: the two
-- are timed separately, and may differ by some 100 us.
-- :keep waits
SELECT * FROM (SELECT w.study_id, w.case_id, s.kind, l.name AS lock, f.name AS holder,
	ROW_NUMBER() OVER (PARTITION BY w.study_id, w.case_id ORDER BY s.wait_ns DESC) AS place
	FROM slow w CROSS JOIN study_cases c ON c.run_id = :run AND c.study_id = w.study_id
		AND c.case_id = w.case_id
	CROSS JOIN stalls s ON s.run_id = :run AND s.lane_id = c.lane_id
		AND s.started_ns < c.started_ns + c.duration_ns
		AND MIN(s.started_ns + s.wait_ns, c.started_ns + c.duration_ns)
		- MAX(s.started_ns, c.started_ns) > s.wait_ns / 2
	LEFT JOIN locks l ON l.run_id = :run AND l.lock_id = s.lock_id
	-- a call of libc is shown as its caller
	LEFT JOIN path h ON h.path_id = IFNULL(s.taken_path_id, s.holder_path_id)
	LEFT JOIN path p ON p.path_id = IIF(h.kind >= 3, h.parent_path_id, h.path_id)
	LEFT JOIN functions f ON f.run_id = :run AND f.function_id = p.function_id
	WHERE w.kind = 'blocked') WHERE place = 1;

-- The causes in words.
-- :keep told
SELECT s.*, w.kind AS wait_kind, w.lock, w.holder, s.name || ': ' || CASE s.kind
	WHEN 'only_now' THEN 'usual calls do not go there; it took ' || people('ns', s.self_ns)
	|| IIF(s.most_path <> s.path, ', most of it in ' || s.most_name, '')
	WHEN 'blocked' THEN 'waited for ' || people('ns', s.waited_ns)
	|| IIF(w.kind NOT IN ('call', 'sleep'), ', for the ' || w.kind
		|| IIF(w.lock <> w.kind, ' ' || w.lock, '')
		|| IFNULL(IIF(w.kind IN ('mutex', 'rwlock', 'spin'),
			' that ' || w.holder || ' held', ', signalled by ' || w.holder), ''), '')
	WHEN 'more_calls' THEN counted('call', CAST(ROUND(s.calls) AS INTEGER)) || ' instead of '
	|| people('count', CAST(ROUND(s.usual_calls) AS INTEGER))
	WHEN 'allocates' THEN counted('allocation', CAST(ROUND(s.alloc_count) AS INTEGER))
	|| ' of ' || people('bytes', s.alloc_bytes) || ' instead of '
	|| counted('allocation', CAST(ROUND(s.usual_alloc_count) AS INTEGER))
	|| ' of ' || people('bytes', s.usual_alloc_bytes)
	WHEN 'spread' THEN 'a little more on many paths below it, ' || people('ns', s.self_ns)
	WHEN 'off_cpu' THEN 'had no CPU for ' || people('ns', s.blocked_ns)
	ELSE 'took ' || people('ns', s.self_ns) END
	|| IIF(s.kind NOT IN ('blocked', 'off_cpu') AND s.blocked_ns > s.explained_ns / 4,
	', without a CPU for ' || people('ns', s.blocked_ns) || ' of it', '') AS cause
FROM slow s LEFT JOIN waits w USING (study_id, case_id);

-- :note no_studies empty stop
SELECT 'No single calls were kept: PROFSHIM_WHY named no function or step, and none was
	slow now and then.' AS text, CASE WHEN COUNT(*) THEN
	'Calls far longer than usual: ' || group_concat(short_name(48, name) || ' ('
	|| people('ns', max_ns) || '; half of all take at most ' || people('ns', p50_ns) || ')', ', ')
	|| '. Record with ''prof-record --why="' || first || '"''.'
	ELSE 'Record with ''prof-record --why=FUNC''; ''functions'' shows the longest call of each.'
	END AS advice
-- the function that holds most of the time first; never libc's, which cannot be studied without
-- hooks
FROM (SELECT name, p50_ns, max_ns, FIRST_VALUE(short_name(48, name))
	OVER (ORDER BY total_ns DESC, function_id) AS first
	FROM functions WHERE run_id = :run AND NOT is_library AND calls >= 20 AND p50_ns > 0
	AND max_ns >= 8 * p50_ns AND function_id IN (SELECT function_id FROM call_paths
		WHERE run_id = :run AND kind = 'function')
	ORDER BY total_ns DESC, function_id LIMIT 3)
WHERE :argument IS NULL HAVING NOT EXISTS (SELECT 1 FROM studied) AND :argument IS NULL;

-- :table studies main sort optional rows=12 noun=function = What was slow now and then, with calls that were kept
SELECT s.slowest_ns AS "slowest!:slowest_ns",
	CASE WHEN s.median_ns <> 0 THEN s.median_ns ELSE j.median_ns END AS "median!:median_ns",
	s.calls AS "calls!:calls", j.slow_count AS "slow:slow_count",
	j.usual_count AS ".usual_count", s.reason AS "why it is here:reason",
	s.name AS "function or step!:name", (SELECT t.cause FROM told t
		WHERE t.study_id = s.study_id ORDER BY t.duration_ns DESC, t.case_id LIMIT 1)
	AS "the slowest:>cause", s.kind AS ".kind", IIF(is_step, NULL, s.function_id)
	AS ".function_id", s.study_id AS ".study_id", s.missed_calls AS ".missed_calls",
	s.ready_calls AS ".ready_calls", s.ready_ns AS ".ready_ns", s.cost_ns AS ".cost_ns"
FROM studied s JOIN judged j USING (study_id) WHERE :argument IS NULL
ORDER BY s.slowest_ns DESC, s.study_id DESC;

-- The step of this name that was studied, unless a studied function has the name.
-- :keep wanted
WITH named AS (SELECT rowid AS place, study_id, is_step FROM studied WHERE name = :argument),
step AS (SELECT study_id FROM named WHERE (SELECT MIN(is_step) FROM named)
	ORDER BY place DESC LIMIT 1)
SELECT study_id FROM step UNION ALL SELECT study_id FROM studied
WHERE NOT is_step AND function_id = CASE WHEN :argument IS NOT NULL
	AND NOT EXISTS (SELECT 1 FROM step) THEN meant(:argument) END;

-- :note not_studied warning empty stop
SELECT 'No single calls of this function were kept.' AS text, 'Record with
	PROFSHIM_WHY={name}; `prof-analyze why` without a name lists what there is.' AS advice,
	name FROM functions WHERE run_id = :run AND function_id = CASE
	WHEN :argument IS NOT NULL AND NOT EXISTS (SELECT 1 FROM wanted) THEN meant(:argument) END;

-- :keep one
SELECT s.*, j.slow_count, j.usual_count, j.median_ns AS own_median_ns
FROM studied s JOIN judged j USING (study_id) JOIN wanted USING (study_id);

-- :values study = {name}
SELECT name AS ".name/text", kind AS ".kind", IIF(is_step, NULL, function_id) AS ".function_id",
	IIF(is_step, NULL, '{calls}') AS "calls:~calls_text", IIF(is_step, '{calls}', NULL)
	AS "steps:~steps_text", calls AS ".calls", IIF(median_ns <> 0, median_ns, own_median_ns)
	AS "half of all take at most:median_ns", slowest_ns AS "the slowest took:slowest_ns",
	IIF(is_step, '{slow_count slow step}', '{slow_count slow call}')
	|| ', {usual_count usual one}' AS "kept:~kept", slow_count AS ".slow_count",
	usual_count AS ".usual_count", missed_calls AS ".missed_calls",
	ready_calls AS ".ready_calls", ready_ns AS ".ready_ns", folded_paths AS ".folded_paths/count",
	cost_ns AS ".cost_ns"
FROM one;

-- What the answer may lack.
-- :note none_slow
SELECT 'No kept call took twice the median, CPU wait left out.' AS text FROM one WHERE
	slow_count = 0;

-- :note none_usual warning
SELECT 'No usual call was kept: the slow ones are compared with calls that do nothing.'
	AS text FROM one WHERE slow_count > 0 AND usual_count = 0;

-- :note waited_for_cpu
SELECT '{ready_calls other call} took long only because of CPU wait, {ready_ns} in all:
	not kept.' AS text, ready_calls, ready_ns FROM one WHERE ready_calls <> 0;

-- :note folded_paths warning
SELECT '{count path} below it found no room: after their first call their numbers are
	with the paths above them.' AS text, folded_paths AS count FROM one WHERE folded_paths <> 0;

-- How often each cause occurred. People see no table if each occurred once, and no cause below a
-- hundredth of the largest.
-- :table causes optional noun=cause weight=difference_ns,the_difference = Causes, and how often each
WITH groups AS (SELECT kind, path_id, name, cause, case_id, COUNT(*) AS count,
	SUM(difference_ns) AS difference_ns, MAX(difference_ns) AS worst_ns
	FROM told JOIN wanted USING (study_id) GROUP BY kind, path)
SELECT count AS "slow!:count", SUM(count) OVER () AS "of!:of_count",
	CAST(difference_ns / count AS INTEGER) AS "each longer by!:mean_difference_ns",
	CAST(worst_ns AS INTEGER) AS "at most:worst_difference_ns",
	IFNULL(name, '?') AS "because of!:name", IFNULL(cause, '') AS "the worst:>cause",
	kind AS ".kind", CAST(difference_ns AS INTEGER) AS ".difference_ns", path_id AS ".path_id",
	case_id AS ".worst_case_id",
	MAX(1, SUM(difference_ns > (SELECT MAX(difference_ns) FROM groups) / 100) OVER ())
	AS "-rows/count", COUNT(*) OVER () = SUM(count) OVER () AS "-for_machines/flag"
FROM groups g ORDER BY g.difference_ns DESC, case_id;

-- :table slow_calls main sort brief optional each=study_id noun=slow_call weight=difference_ns,the_difference = {title}
SELECT c.duration_ns AS "took!:duration_ns", c.started_ns AS "at!:started_ns",
	c.number AS "call!:number/count", c.ready_ns AS "CPU wait:ready_ns",
	CASE WHEN t.name IS NULL THEN NULL WHEN t.difference_ns > 0
	THEN MIN(100, 100 * t.explained_ns / t.difference_ns) ELSE 0.0 END
	AS "explains!:explained_percent",
	t.name AS "because of!:name", t.cause AS ">cause", IIF(t.name IS NULL, NULL, t.path_id)
	AS ">path", IIF(t.name IS NULL, NULL, t.kind) AS ".kind", t.path_id AS ".path_id",
	t.most_name AS ".most_name", t.most_path_id AS ".most_path_id",
	t.is_first AS ".is_first/flag", CAST(t.difference_ns AS INTEGER) AS ".difference_ns",
	CAST(t.explained_ns AS INTEGER) AS ".explained_ns", CAST(t.calls AS INTEGER) AS ".calls",
	t.usual_calls AS ".usual_calls/any", CAST(t.blocked_ns AS INTEGER) AS ".blocked_ns",
	CAST(t.usual_blocked_ns AS INTEGER) AS ".usual_blocked_ns",
	CAST(t.alloc_count AS INTEGER) AS ".alloc_count",
	t.usual_alloc_count AS ".usual_alloc_count/any",
	CAST(t.alloc_bytes AS INTEGER) AS ".alloc_bytes",
	t.usual_alloc_bytes AS ".usual_alloc_bytes/any", t.wait_kind AS ".wait_kind",
	t.lock AS ".lock/name", t.holder AS ".holder/name", c.beside_calls AS ".beside_calls",
	c.beside_ns AS ".beside_ns", c.folded_parts AS ".folded_parts/count", (SELECT h.tid
		FROM threads h WHERE h.run_id = c.run_id AND h.lane_id = c.lane_id
		AND h.started_ns <= c.started_ns ORDER BY h.started_ns DESC LIMIT 1) AS ".tid",
	c.lane_id AS ".lane_id", c.case_id AS ".case_id", t.study_id AS "-study_id",
	IIF(s.is_step, 0, s.function_id) AS "-about/id", IIF(:is_brief, 'Slow calls of '
	|| short_name(60, s.name), 'Slow calls, and what took them longer') AS "-title/text",
	MAX(1, SUM(t.difference_ns > l.largest_ns / 100) OVER (PARTITION BY t.study_id))
	AS "-rows/count"
FROM told t JOIN studied s USING (study_id) JOIN (SELECT study_id, MAX(difference_ns)
		AS largest_ns FROM told GROUP BY study_id) l USING (study_id)
	JOIN study_cases c ON c.run_id = :run AND c.study_id = t.study_id AND c.case_id = t.case_id
WHERE :is_brief OR t.study_id IN (SELECT study_id FROM wanted)
ORDER BY s.slowest_ns DESC, s.study_id, CAST(t.difference_ns AS INTEGER) DESC NULLS LAST,
	t.case_id DESC;

-- :table paths optional rows=12 noun=path weight=difference_ns,the_difference = Path by path: the mean slow call and the usual
WITH p AS (SELECT *, CAST(self_ns - usual_self_ns AS INTEGER) AS difference_ns
	FROM study_paths JOIN wanted USING (study_id))
SELECT IIF(SUM(difference_ns) OVER () > 0, 100.0 * difference_ns / SUM(difference_ns) OVER (), 0.0)
	AS "of it!:share_percent", CAST(self_ns AS INTEGER) AS "slow self!:slow_self_ns",
	CAST(usual_self_ns AS INTEGER) AS "usual!:usual_self_ns",
	IIF(:machine, calls, IIF(calls >= 100 OR calls = ROUND(calls),
	people('count', CAST(calls AS INTEGER)), printf('%.3g', calls)))
	AS "slow calls!:slow_calls/mean",
	IIF(:machine, usual_calls, IIF(usual_calls >= 100 OR usual_calls = ROUND(usual_calls),
	people('count', CAST(usual_calls AS INTEGER)), printf('%.3g', usual_calls)))
	AS "usual!:usual_calls/mean",
	CAST(blocked_ns AS INTEGER) AS "blocked:slow_blocked_ns",
	CAST(usual_blocked_ns AS INTEGER) AS "usual:usual_blocked_ns",
	CAST(alloc_bytes AS INTEGER) AS "allocated:slow_alloc_bytes",
	CAST(usual_alloc_bytes AS INTEGER) AS "usual:usual_alloc_bytes",
	alloc_count AS ".slow_alloc_count/any", usual_alloc_count AS ".usual_alloc_count/any",
	slow_count AS "in slow:slow_count", usual_count AS "in usual:usual_count",
	difference_ns AS ".difference_ns", name AS "function!:name", path_id AS ".path",
	path_id AS ".path_id"
FROM p ORDER BY difference_ns DESC, path_id DESC;
