-- SPDX-License-Identifier: MIT
-- :report compare: what changed from before to after, and a gate for it
-- :takes sides gate limit inlined filter by
-- :argument DB...
-- :by component source namespace
-- :build compare_build
-- :example prof-analyze compare before.db after.db --gate calls=0%,peak=1MiB
-- :about
-- Two files are before and after; several a side have -- between the sides. Of each file the
-- latest run counts, with its group: all runs of its label or, without one, of its command and
-- build (prof-record --repeat). The ranks of a job count as one run. In one file the last two
-- groups or runs are compared. --before and --after choose runs by label or number.
--
-- Functions are matched across rebuilds by name and file, and by name alone when one function of
-- that name is left on each side. One that was renamed, or has other parameters, is one new and
-- one gone; --rename OLD=NEW says that the two are one. What did not change is counted below the
-- tables; --limit 0 shows it. One run against one run compares counts and bytes exactly and
-- shows times without judging them. Several runs a side give an interval (95 %, Hodges-Lehmann),
-- an exact rank test corrected for the number of functions (Benjamini-Hochberg), and a verdict.
--
-- Where all runs have told computing from waits, functions, call paths and components are judged
-- by their CPU time, and the column 'waits' says which of their waits changed: ready (for a CPU)
-- or blocked.
--
-- Runs of different levels can be compared: the run's times with the errors of both, single
-- functions not at all. With a budget, functions that were timed in another way on the other
-- side are not judged, and those that some run did not time call by call are left out of call
-- paths.
--
-- --by component, source or namespace adds a table of components (as in 'components'), judged in
-- the same way.
--
-- The gate: --gate METRIC=AMOUNT[,...] is how much more after may take: wall, self, cpu, calls,
-- alloc_count, alloc_bytes, peak, live, or func:NAME.METRIC with self, cpu, total, calls,
-- alloc_count, alloc_bytes; AMOUNT is 5%, 50ms, 1MiB, 100. wall is the wall time less what the
-- hooks took of it, cpu the CPU time of all threads likewise, of a function what it computed
-- itself. With several runs a time exceeds its limit when the whole interval does, widened by
-- the errors of both sides. --fail-on regression fails for every total or function with that
-- verdict, --fail-on inconclusive also for what more runs would have to tell. Times of fewer
-- than four runs a side are not judged: status 4, and the command that records more; neither is
-- what lies within the error of the hooks. Status 3: the gate failed; 4: it could not be judged.

-- The tables compared_... are those of ../compare/show.c. What went away takes its hooks along:
-- so wall times are compared without them. With one repetition a side nothing is known about
-- noise.
-- :keep known
SELECT MIN(is_split) AS has_cpu, COUNT(DISTINCT repetition) = 2 AS is_pair,
	COUNT(DISTINCT CASE WHEN side = 'before' THEN repetition END) AS before_count,
	COUNT(DISTINCT CASE WHEN side = 'after' THEN repetition END) AS after_count
FROM compared_runs;

-- "runs 3, 5, 7 'old' of a.db: ./app", or in short when there are many; "3 jobs of 8 ranks, " of
-- recordings that are no repetitions by themselves.
-- :values sides
WITH place AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY side ORDER BY rowid) AS place,
	COUNT(*) OVER (PARTITION BY side) AS count FROM compared_runs),
side AS (SELECT side, count, COUNT(DISTINCT repetition) AS repetitions,
	COUNT(DISTINCT file) > 1 AS has_others, MAX(run_id) FILTER (WHERE place = count) AS last,
	group_concat(run_id, ', ') FILTER (WHERE place <= IIF(count > 6, 4, count)) AS ids,
	MAX(label) FILTER (WHERE place = 1) AS label, MAX(path) FILTER (WHERE place = 1) AS path,
	MAX(command) FILTER (WHERE place = 1) AS command,
	MAX(rank_count) FILTER (WHERE place = 1) AS rank_count FROM place GROUP BY side),
told AS (SELECT *, IIF(repetitions <> count OR rank_count > 1, counted('job', repetitions)
	|| IIF(count % repetitions = 0, ' of ' || counted('rank', count / repetitions), '') || ', ', '')
	|| IIF(count > 1, 'runs ', 'run ') || ids
	|| IIF(count > 6, ', ... ' || last || ' (' || count || ' in all)', '')
	|| IFNULL(' ''' || label || '''', '') || ' of ' || path
	|| IIF(has_others, ' and others', '') || IFNULL(': ' || command, '') AS text FROM side)
SELECT b.text AS "before:before/text", b.repetitions AS ".before_run_count",
	b.count AS ".before_recording_count", a.text AS "after:after/text",
	a.repetitions AS ".after_run_count", a.count AS ".after_recording_count"
FROM told b JOIN told a ON b.side = 'before' AND a.side = 'after';

-- :note choice
SELECT choice AS text, '--before and --after choose other runs, by number or label: --before 1,2,3 --after
	4,5,6.' AS advice
FROM compared_runs WHERE rowid = 1 AND choice IS NOT NULL;

-- :include comparable

-- In the order of enum run_metric.
-- :keep totals
WITH m (place, name, title) AS (VALUES (1, 'wall_ns', 'wall less hooks'), (2, 'hooks_ns', 'hooks in it'),
	(3, 'raw_wall_ns', 'raw wall'), (4, 'cpu_ns', 'CPU less hooks'), (5, 'self_ns', 'self time'),
	(6, 'calls', 'calls'), (7, 'alloc_count', 'allocations'), (8, 'alloc_bytes', 'bytes allocated'),
	(9, 'peak_bytes', 'peak'), (10, 'live_bytes_at_exit', 'live at exit'))
SELECT m.*, t.*, IIF(name = 'live_bytes_at_exit', 'bytes', name) AS kind
FROM m JOIN compared_totals t ON t.rowid = m.place;

-- What the hooks took is shown from half a percent of the wall time on, which is seen in its
-- digits. More calls are neither better nor worse. Nobody records more than 200 runs.
-- :table totals whole = Totals
SELECT name AS ".name/text", title AS "of the run!:~title", before AS ".before/any",
	after AS ".after/any", after - before AS ".difference/any",
	before_error AS ".before_error/any", after_error AS ".after_error/any",
	error AS ".difference_error/any", amount(kind, before, before_error) AS "before!:~before_text/mean",
	amount(kind, after, after_error) AS "after:~after_text/mean",
	difference(kind, after - before, error) AS "change!:~difference_text/mean",
	change_percent AS ".change_percent", low_percent AS ".low_percent",
	high_percent AS ".high_percent", effect AS "!:~effect/mean", p AS ".p/any",
	is_exact AS ".exact/flag", CASE WHEN name <> 'calls' THEN verdict WHEN verdict = 'regressed'
	THEN 'more' WHEN verdict = 'improved' THEN 'fewer' ELSE verdict END AS "verdict!:verdict",
	CASE WHEN verdict = 'inconclusive' AND runs_needed THEN runs_needed END
	AS ".runs_needed/count",
	CASE WHEN is_blurred THEN 'within the error of what the hooks took: more runs do not help'
	WHEN NOT is_known THEN 'not known on a side: the hooks took nearly all of it'
	WHEN verdict = 'inconclusive' AND runs_needed > runs + 200
	THEN 'too noisy: no number of runs that can be made would tell'
	WHEN verdict = 'inconclusive' AND runs_needed > runs
	THEN '~' || (runs_needed - runs) || ' more runs a side'
	WHEN is_demoted THEN 'repeated runs differ' END AS ">~verdict_why"
FROM totals JOIN (SELECT MIN(before_count, after_count) AS runs, has_cpu FROM known)
	JOIN (SELECT MAX(h.before >= 0.005 * w.before, h.after >= 0.005 * w.after) AS has_hooks
	FROM totals h JOIN totals w ON h.name = 'hooks_ns' AND w.name = 'wall_ns')
WHERE (name <> 'cpu_ns' OR has_cpu)
	AND (:machine OR has_hooks OR name NOT IN ('hooks_ns', 'raw_wall_ns'))
ORDER BY place;

-- Which of the two a change moved: a noisy machine moves the wall time alone.
-- :note moved
SELECT CASE WHEN wall AND cpu AND is_same THEN 'CPU time moved as wall time did: it is in what the
	program computes.' WHEN wall AND cpu THEN 'CPU time moved the other way than wall time: waits
	make up for it.' WHEN wall THEN 'Wall time moved, and CPU time did not as far as can be told:
	it is in waits, for a CPU or for something else.' ELSE 'CPU time moved, and wall time did not
	as far as can be told: the program computes more or less than before, beside waits or on
	threads that nobody waits for.' END AS text
FROM (SELECT w.verdict IN ('regressed', 'improved') AS wall, w.verdict = c.verdict AS is_same,
	c.verdict IN ('regressed', 'improved') AS cpu FROM totals w JOIN totals c
	ON w.name = 'wall_ns' AND c.name = 'cpu_ns') JOIN known WHERE has_cpu AND (wall OR cpu);

-- :note one_pair
SELECT 'One run a side: counts and bytes are compared exactly, times are shown but not judged, for
	they vary from run to run.' AS text,
	'prof-record --repeat 10 records enough runs to judge times.' AS advice
FROM known WHERE is_pair;

-- Which part of a difference is in functions of both sides, new and gone ones. Errors add up to
-- no more than that of the total.
-- :table balance quiet whole
WITH f AS (SELECT presence, after_self_ns - before_self_ns AS self_ns, self_ns_error,
	after_calls - before_calls AS calls, after_alloc_count - before_alloc_count AS alloc_count,
	after_alloc_bytes - before_alloc_bytes AS alloc_bytes
	FROM compared_functions WHERE presence),
d AS (SELECT 'self_ns' AS name, presence, self_ns AS d, self_ns_error AS e FROM f
	UNION ALL SELECT 'calls', presence, calls, 0.0 FROM f
	UNION ALL SELECT 'alloc_count', presence, alloc_count, 0.0 FROM f
	UNION ALL SELECT 'alloc_bytes', presence, alloc_bytes, 0.0 FROM f),
s AS (SELECT name, TOTAL(d) FILTER (WHERE presence = 3) AS matched,
	TOTAL(d) FILTER (WHERE presence = 2) AS new, TOTAL(d) FILTER (WHERE presence = 1) AS gone,
	TOTAL(e) FILTER (WHERE presence = 3) AS matched_error,
	TOTAL(e) FILTER (WHERE presence = 2) AS new_error,
	TOTAL(e) FILTER (WHERE presence = 1) AS gone_error FROM d GROUP BY name)
SELECT t.name AS ".name/text", IIF(t.name = 'self_ns', 'time', title) AS "in functions!:~title",
	IFNULL(matched, 0.0) AS ".matched/any", IFNULL(new, 0.0) AS ".new/any",
	IFNULL(gone, 0.0) AS ".gone/any", IFNULL(matched + new + gone, 0.0) AS ".difference/any",
	difference(kind, matched + new + gone, MIN(matched_error + new_error + gone_error, error))
	AS "change =!:~difference_text/mean",
	difference(kind, matched, MIN(matched_error, error)) AS "matched +!:~matched_text/mean",
	difference(kind, new, MIN(new_error, error)) AS "new +!:~new_text/mean",
	difference(kind, gone, MIN(gone_error, error)) AS "gone!:~gone_text/mean"
FROM totals t LEFT JOIN s ON s.name = t.name
WHERE t.name IN ('self_ns', 'calls', 'alloc_count', 'alloc_bytes')
	AND (:machine OR matched <> 0 OR new <> 0 OR gone <> 0) ORDER BY place;

-- The rows of the tables below, what changed before what did not, the largest share in the
-- difference first. People see differences that are known, and of functions and paths how many
-- did not change; machines all that there are, so that they add up to the run's.
-- :keep ranks
WITH all_rows AS (SELECT 'components' AS part, 15 AS most, number, share, kind, main_change AS change
	FROM compared_components WHERE :by IS NOT NULL
UNION ALL SELECT 'functions', 15, number, share, kind, main_change FROM compared_functions
	WHERE presence AND NOT is_zero AND passes
UNION ALL SELECT 'call_paths', 5, number, share, kind, main_change FROM compared_paths
	WHERE (share > 0 OR :machine AND before_self_ns <> after_self_ns) AND passes
UNION ALL SELECT 'allocation_sites', 10, number, share, kind, main_change FROM compared_sites
	WHERE presence AND share > 0 AND passes),
placed AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY part ORDER BY kind, share DESC, number)
	AS place, limit_of(most) AS row_limit FROM all_rows)
SELECT *, place <= row_limit AND (kind = 0 OR :machine OR limit_of(0) < 0 OR row_limit
	= 9223372036854775807) AS is_shown FROM placed;

-- "10 of 812 changed functions shown" and so on, when there are more.
-- :keep footers
SELECT part, count, is_any, CASE WHEN shown = count THEN '' ELSE
	IIF(changed_left, people('count', shown) || ' of ' || counted(noun, shown + changed_left)
	|| ' shown, with ' || people('percent', IIF(size > 0, 100 * shown_size / size, 100.0))
	|| ' of all changes in ' || what, '')
	|| IIF(unchanged_left, IIF(changed_left, '; ', '') || people('count', unchanged_left)
	|| ' unchanged', '')
	|| IIF(blurred_left, CASE WHEN unchanged_left THEN ', ' WHEN changed_left THEN '; ' ELSE ''
	END || people('count', blurred_left) || ' within their errors', '')
	|| '; --limit 0 shows all' END AS text
FROM (SELECT part, COUNT(*) AS count, TOTAL(is_shown) AS shown, MAX(is_shown) AS is_any,
	TOTAL(ABS(change)) AS size, TOTAL(ABS(change) * is_shown) AS shown_size,
	SUM(kind = 0 AND NOT is_shown) AS changed_left, SUM(kind = 1 AND NOT is_shown) AS blurred_left,
	SUM(kind = 2 AND NOT is_shown) AS unchanged_left,
	CASE part WHEN 'components' THEN 'component' WHEN 'functions' THEN 'changed function'
	WHEN 'call_paths' THEN 'changed path' ELSE 'changed site' END AS noun,
	CASE WHEN part = 'allocation_sites' THEN 'bytes' ELSE IIF(has_cpu, 'CPU time', 'self time') END
	AS what FROM ranks JOIN known GROUP BY part);

-- The functions, paths and components that are shown.
-- :keep subjects
SELECT part, place, c.* FROM ranks CROSS JOIN compared_components c ON c.rowid = ranks.number + 1
	WHERE part = 'components' AND is_shown
UNION ALL SELECT part, place, f.* FROM ranks CROSS JOIN compared_functions f
	ON f.rowid = ranks.number + 1 WHERE part = 'functions' AND is_shown
UNION ALL SELECT part, place, p.* FROM ranks CROSS JOIN compared_paths p
	ON p.rowid = ranks.number + 1 WHERE part = 'call_paths' AND is_shown;

-- What machines are told of each.
-- :with both_sides
SELECT s.rowid AS "-row/any", before_calls AS ".before_calls", after_calls AS ".after_calls",
	before_alloc_count AS ".before_alloc_count", after_alloc_count AS ".after_alloc_count",
	before_alloc_bytes AS ".before_alloc_bytes", after_alloc_bytes AS ".after_alloc_bytes",
	before_self_error_ns AS ".before_self_error_ns",
	after_self_error_ns AS ".after_self_error_ns",
	before_total_error_ns AS ".before_total_error_ns",
	after_total_error_ns AS ".after_total_error_ns",
	before_self_ready_ns AS ".before_self_ready_ns",
	after_self_ready_ns AS ".after_self_ready_ns",
	before_self_blocked_ns AS ".before_self_blocked_ns",
	after_self_blocked_ns AS ".after_self_blocked_ns",
	before_self_ready_error_ns AS ".before_self_ready_error_ns",
	after_self_ready_error_ns AS ".after_self_ready_error_ns",
	before_cpu_ns AS ".before_cpu_ns", after_cpu_ns AS ".after_cpu_ns",
	before_ready_ns AS ".before_ready_ns", after_ready_ns AS ".after_ready_ns",
	before_blocked_ns AS ".before_blocked_ns", after_blocked_ns AS ".after_blocked_ns",
	before_inlined_calls AS ".before_inlined_calls",
	after_inlined_calls AS ".after_inlined_calls",
	before_unwound_count AS ".before_unwound_count",
	after_unwound_count AS ".after_unwound_count", change_percent AS ".change_percent",
	low_percent AS ".low_percent", high_percent AS ".high_percent",
	p_adjusted AS ".p_adjusted/any", IIF(has_cpu, 'cpu', 'wall') AS ".judged_by/text",
	moved AS ".moved/text", wall_verdict AS ".wall_verdict/text",
	wall_low_percent AS ".wall_low_percent", wall_high_percent AS ".wall_high_percent",
	ready_verdict AS ".ready_verdict/text", blocked_verdict AS ".blocked_verdict/text"
FROM subjects s JOIN known;

-- What people are told of each: differences in CPU time where there are some, else those in
-- self time; and which waits moved, where some did: then there may be no room for the match. Of
-- a difference between a time that was measured and one that was estimated the errors do not
-- tell enough. Of a difference that is none there are no parts: what more calls at the old cost
-- would make, and the rest.
-- :keep told
SELECT s.rowid AS row, IIF(has_cpu, NULL, difference('ns', own, own_error)) AS self_difference,
	IIF(has_cpu, difference('ns', own, own_error), NULL) AS cpu_difference,
	IIF(is_split, difference('ns', by_calls_ns, 0), NULL) AS by_calls,
	IIF(is_split, difference('ns', own - by_calls_ns, 0), NULL) AS by_cost, by_calls_ns,
	own - by_calls_ns AS by_cost_ns,
	MAX(verdict <> '-') OVER parts AS is_judged_any, waits, effect,
	CASE WHEN NOT MAX(waits <> '') OVER parts THEN match END AS match_kept,
	CASE WHEN MAX(waits <> '') OVER parts THEN match END AS match,
	difference('calls', after_calls - before_calls, 0) AS calls,
	difference('calls', after_alloc_count - before_alloc_count, 0) AS allocs,
	CASE WHEN SUM(ABS(before_self_ready_ns) + ABS(after_self_ready_ns)) OVER parts <> 0
	THEN difference('ns', after_self_ready_ns - before_self_ready_ns, self_ready_ns_error) END
	AS ready,
	CASE WHEN SUM(ABS(before_self_blocked_ns) + ABS(after_self_blocked_ns)) OVER parts <> 0
	THEN difference('ns', after_self_blocked_ns - before_self_blocked_ns, self_blocked_ns_error)
	END AS blocked,
	CASE WHEN SUM(before_inlined_calls + after_inlined_calls) OVER parts <> 0
	THEN difference('calls', after_inlined_calls - before_inlined_calls, 0) END AS inlined,
	CASE WHEN SUM(before_unwound_count + after_unwound_count) OVER parts <> 0
	THEN difference('calls', after_unwound_count - before_unwound_count, 0) END AS unwound,
	CASE presence WHEN 3 THEN 'matched' WHEN 2 THEN 'new' ELSE 'gone' END AS status
FROM (SELECT s.rowid, *, is_judged IS NOT 0 AND (own = 0 OR main_change <> 0) AND part = 'functions'
	AS is_split, IIF(is_judged = 0 AND part = 'functions', ABS(own) + error, error) AS own_error,
	CASE WHEN before_calls > 0 AND after_calls > 0
	THEN (after_calls - before_calls) * (1.0 * before_ns / before_calls) ELSE 1.0 * own END
	AS by_calls_ns, CASE WHEN is_renamed AND part = 'functions' THEN 'renamed'
	WHEN presence = 3 THEN '' WHEN presence = 2 THEN 'new' ELSE 'gone' END AS match
	FROM (SELECT s.rowid, *, IIF(has_cpu, before_self_cpu_ns, before_self_ns) AS before_ns,
	IIF(has_cpu, after_self_cpu_ns, after_self_ns) AS after_ns,
	IIF(has_cpu, after_self_cpu_ns - before_self_cpu_ns, after_self_ns - before_self_ns) AS own,
	IIF(has_cpu, self_cpu_ns_error, self_ns_error) AS error FROM subjects s JOIN known) s) s
WINDOW parts AS (PARTITION BY part);

-- :note components human
SELECT 'Components: ' || IIF((SELECT MAX(estimated <> 0) FROM compared_functions),
	'no difference beyond their errors', 'no difference') || '.' AS text
WHERE NOT EXISTS (SELECT 1 FROM ranks WHERE part = 'components' AND is_shown) AND :by IS NOT NULL;

-- :table components quiet optional = Components
SELECT t.cpu_difference AS "CPU +-!:?~cpu_difference/mean",
	t.self_difference AS "self +-!:?~self_difference/mean",
	before_self_ns AS "before!:before_self_ns", after_self_ns AS "after:after_self_ns",
	before_self_cpu_ns AS "before!:before_self_cpu_ns",
	after_self_cpu_ns AS "after:after_self_cpu_ns",
	IIF(is_pair, NULL, t.effect) AS "95% interval!:?~effect/mean",
	s.verdict AS "verdict!:verdict", t.waits AS "waits!:?~waits/text",
	t.calls AS "calls +-:~calls/mean", t.allocs AS "allocs +-!:~allocs/mean",
	ready AS "ready +-:?~self_ready_ns_difference/mean",
	blocked AS "blocked +-:?~self_blocked_ns_difference/mean",
	inlined AS "inlined +-!:?~inlined_calls_difference/mean",
	unwound AS "unwound +-!:?~unwound_count_difference/mean",
	name AS "component!:name",
	1.0 * after_self_ns - before_self_ns AS ".self_difference_ns", m.*,
	'name path ' || IIF(is_judged_any, 'verdict ', '') || IIF(has_cpu, 'before_self_cpu_ns after_self_cpu_ns',
	'before_self_ns after_self_ns') AS "-shown/text",
	(SELECT text FROM footers f WHERE f.part = 'components') AS "-footer/text",
	(SELECT count FROM footers f WHERE f.part = 'components') AS "-of_rows/any"
FROM subjects s JOIN told t ON t.row = s.rowid JOIN both_sides m ON m."-row/any" = s.rowid
	JOIN known WHERE s.part = 'components' ORDER BY s.place;

-- :note functions human
SELECT 'Functions: ' || IIF(has_levels, 'none with other calls or allocations', IIF((SELECT MAX(estimated <> 0) FROM compared_functions),
	'no difference beyond their errors', 'no difference')) || '.' AS text FROM not_comparable
WHERE NOT EXISTS (SELECT 1 FROM ranks WHERE part = 'functions' AND is_shown);

-- :table functions quiet main = Functions
SELECT t.cpu_difference AS "CPU +-!:?~cpu_difference/mean",
	t.self_difference AS "self +-!:?~self_difference/mean",
	before_self_ns AS "before!:before_self_ns", after_self_ns AS "after:after_self_ns",
	before_self_cpu_ns AS "before!:before_self_cpu_ns",
	after_self_cpu_ns AS "after:after_self_cpu_ns",
	IIF(is_pair, by_calls, NULL) AS "by calls!:?~by_calls/mean",
	IIF(is_pair, by_cost, NULL) AS "by cost!:?~by_cost/mean",
	IIF(is_pair, NULL, t.effect) AS "95% interval!:?~effect/mean",
	s.verdict AS "verdict!:verdict", t.waits AS "waits!:?~waits/text",
	difference('calls', after_own_alloc_count - before_own_alloc_count, 0)
	AS "allocs!:~allocs/mean",
	ready AS "ready +-:?~self_ready_ns_difference/mean",
	blocked AS "blocked +-:?~self_blocked_ns_difference/mean",
	inlined AS "inlined +-!:?~inlined_calls_difference/mean",
	unwound AS "unwound +-!:?~unwound_count_difference/mean",
	match_kept AS "match!:?~match/text", t.match AS "match:?~match/text",
	name AS "function!:name", 1.0 * after_self_ns - before_self_ns AS ".self_difference_ns",
	self_ns_error AS ".self_difference_error_ns",
	by_calls_ns AS ".by_calls_ns", by_cost_ns AS ".by_cost_ns",
	before_total_ns AS ".before_total_ns", after_total_ns AS ".after_total_ns",
	before_own_alloc_count AS ".before_own_alloc_count",
	after_own_alloc_count AS ".after_own_alloc_count",
	before_own_alloc_bytes AS ".before_own_alloc_bytes",
	after_own_alloc_bytes AS ".after_own_alloc_bytes", status AS ".status",
	name_before AS ".before_name", file AS "where:.file/place", line AS "-line/id",
	linkage_name AS ".linkage_name/text", is_judged AS ".timed_alike/flag", m.*,
	'name path ' || IIF(is_judged_any, 'verdict ', '') || IIF(is_pair, IIF(has_cpu, 'before_self_cpu_ns', 'before_self_ns'), '') AS "-shown/text",
	(SELECT text FROM footers f WHERE f.part = 'functions') AS "-footer/text",
	(SELECT count FROM footers f WHERE f.part = 'functions') AS "-of_rows/any"
FROM subjects s JOIN told t ON t.row = s.rowid JOIN both_sides m ON m."-row/any" = s.rowid
	JOIN known WHERE s.part = 'functions' ORDER BY s.place;

-- How many functions of both sides have no verdict for how they were recorded.
-- :note timed_otherwise
SELECT 'The times of {count function} (such as ''{name}'') are not judged: on one side they, or what
	they call, were timed call by call, on the other they are estimates.' AS text,
	'Record both sides with the same level to have them judged.' AS advice, MIN(number), name,
	COUNT(*) AS count
FROM compared_functions JOIN not_comparable WHERE presence = 3 AND NOT is_alike AND NOT has_levels
HAVING COUNT(*);

-- The whole run changed for sure, errors included, and no function is known to have, nor is one
-- new or gone: which of those that are estimated it was is just what is not known.
-- :note not_attributed
WITH whole AS (SELECT effect, has_cpu, IIF(low > 0 AND low_percent > 0, 1,
	IIF(high < 0 AND high_percent < 0, -1, 0)) AS direction
	FROM totals JOIN known JOIN not_comparable n ON n."all" IS NULL AND n.times IS NULL
	AND NOT has_levels WHERE name = IIF(has_cpu, 'cpu_ns', 'wall_ns') AND is_tested
	AND p <= 1 - 0.95 AND is_known),
times AS (SELECT presence, verdict, main_change, estimated OR holder AS is_estimated,
	IIF(has_cpu, before_self_cpu_ns + after_self_cpu_ns, before_self_ns + after_self_ns) AS ns
	FROM compared_functions JOIN whole WHERE direction <> 0 AND presence),
sums AS (SELECT SUM(is_estimated) AS count, TOTAL(ns) FILTER (WHERE is_estimated) AS ns,
	TOTAL(ns) AS all_ns FROM times)
SELECT IIF(has_cpu, 'CPU time ', 'Wall time ') || effect || ', not attributed: '
	|| IIF(count, '{count function}, with {share} of the time, {count|is|are} estimated or
	{count|holds|hold} what is; none changed by more than its error.',
	'no function''s time changed by more than its own interval.') AS text,
	CASE WHEN count THEN 'PROFSHIM_LEVEL=exact on both sides times every call; PROFSHIM_ONLY with few
	functions leaves the budget to these.' END AS advice, count,
	people('percent', IIF(all_ns > 0, 100 * ns / all_ns, 0.0)) AS share
FROM whole JOIN sums WHERE direction <> 0 AND NOT EXISTS (SELECT 1 FROM times
	WHERE verdict = IIF(direction > 0, 'regressed', 'improved')
	OR presence = IIF(direction > 0, 2, 1) AND main_change <> 0);

-- :note call_paths human
SELECT 'Call paths: ' || IIF((SELECT MAX(estimated <> 0) FROM compared_functions),
	'no difference beyond their errors', 'no difference') || '.' AS text
WHERE NOT EXISTS (SELECT 1 FROM ranks WHERE part = 'call_paths' AND is_shown);

-- :table call_paths quiet = Call paths
SELECT t.cpu_difference AS "CPU +-!:?~cpu_difference/mean",
	t.self_difference AS "self +-!:?~self_difference/mean",
	before_self_ns AS "before!:before_self_ns", after_self_ns AS "after:after_self_ns",
	before_self_cpu_ns AS "before!:before_self_cpu_ns",
	after_self_cpu_ns AS "after:after_self_cpu_ns",
	s.verdict AS "verdict!:verdict", t.waits AS "waits!:?~waits/text",
	t.calls AS "calls +-:~calls/mean", t.allocs AS "allocs +-!:~allocs/mean",
	ready AS "ready +-:?~self_ready_ns_difference/mean",
	blocked AS "blocked +-:?~self_blocked_ns_difference/mean",
	inlined AS "inlined +-!:?~inlined_calls_difference/mean",
	unwound AS "unwound +-!:?~unwound_count_difference/mean",
	match_kept AS "match!:?~match/text", t.match AS "match:?~match/text",
	status AS ".status", name AS "function!:name", path_id AS "call path:>path", m.*,
	'name path ' || IIF(is_judged_any, 'verdict ', '') || IIF(has_cpu, 'before_self_cpu_ns after_self_cpu_ns',
	'before_self_ns after_self_ns') AS "-shown/text",
	(SELECT text FROM footers f WHERE f.part = 'call_paths') AS "-footer/text",
	(SELECT count FROM footers f WHERE f.part = 'call_paths') AS "-of_rows/any"
FROM subjects s JOIN told t ON t.row = s.rowid JOIN both_sides m ON m."-row/any" = s.rowid
	JOIN known WHERE s.part = 'call_paths' ORDER BY s.place;

-- :include left_out_of_paths

-- :note allocation_sites human
SELECT 'Allocation sites: ' || 'no difference' || '.' AS text
WHERE NOT EXISTS (SELECT 1 FROM ranks WHERE part = 'allocation_sites' AND is_shown);

-- :table allocation_sites quiet = Allocation sites
SELECT difference('bytes', after_alloc_bytes - before_alloc_bytes, 0)
	AS "bytes +-!:~bytes_difference/mean",
	before_alloc_bytes AS "before!:before_alloc_bytes", after_alloc_bytes
	AS "after!:after_alloc_bytes",
	difference('count', after_alloc_count - before_alloc_count, 0) AS "allocs +-!:~allocs/mean",
	before_alloc_count AS ".before_alloc_count", after_alloc_count AS ".after_alloc_count",
	before_live_bytes AS ".before_live_bytes", after_live_bytes AS ".after_live_bytes",
	before_at_peak_bytes AS ".before_at_peak_bytes", after_at_peak_bytes AS ".after_at_peak_bytes",
	CASE presence WHEN 3 THEN '' WHEN 2 THEN 'new' ELSE 'gone' END AS "match!:?~match/text",
	CASE presence WHEN 3 THEN 'matched' WHEN 2 THEN 'new' ELSE 'gone' END AS ".status",
	name AS "function!:owner/name", file AS "where!:file/place", line AS "-line/id",
	path_id AS "call path:>path",
	(SELECT text FROM footers f WHERE f.part = 'allocation_sites') AS "-footer/text",
	(SELECT count FROM footers f WHERE f.part = 'allocation_sites') AS "-of_rows/any"
FROM ranks CROSS JOIN compared_sites c ON c.rowid = ranks.number + 1
WHERE part = 'allocation_sites' AND is_shown ORDER BY place;

-- :code compared_profile
-- :code gate
SELECT "all", times FROM not_comparable;
