-- SPDX-License-Identifier: MIT
-- :report compare: what changed from before to after, and a gate for it
-- :takes sides gate limit inlined filter by
-- :argument DB...
-- :by component source namespace
-- :build compare_build
-- :example prof-analyze compare before.db after.db --gate calls=0%,peak=1MiB
-- :about
-- Two files are before and after; put -- between the sides when a side has several. The latest run
-- of each file counts, with its group: all runs with its label or, without one, with its command
-- and build (prof-record --repeat). The ranks of a job count as one run. In one file the last two
-- groups or runs are compared. --before and --after choose runs by label or number.
--
-- Functions are matched across rebuilds by name and file, and by name alone when one function of
-- that name is left on each side. A function that was renamed, or whose parameters changed, counts
-- as one new and one gone; --rename OLD=NEW makes them one. Calls and bytes that changed in all
-- runs alike are always shown; small changes of times, and what did not change, are counted below
-- the tables; --limit 0 shows all. One run against one run compares counts and bytes exactly and
-- shows times without judging them. Several runs a side give a range (95 %, Hodges-Lehmann), an
-- exact rank test corrected for the number of functions (Benjamini-Hochberg), and a verdict. ~
-- marks a change within its error.
--
-- Where all runs separate CPU time from waits, functions, call paths and components are judged by
-- their CPU time; how their waits changed, for a CPU or blocked, stands below their rows.
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
-- verdict, --fail-on inconclusive also where it takes more runs to tell. Times are not judged with
-- fewer than four runs a side (status 4, with the command that records more), nor within the error
-- of the hooks. Status 3: the gate failed; 4: it could not be judged.

-- compare/show.c makes the tables compared_... . Functions that went away take their hooks along,
-- so wall times are compared without hooks. One repetition a side says nothing about noise.
-- :keep known
SELECT MIN(is_split) AS has_cpu, COUNT(DISTINCT repetition) = 2 AS is_pair,
	COUNT(DISTINCT CASE WHEN side = 'before' THEN repetition END) AS before_count,
	COUNT(DISTINCT CASE WHEN side = 'after' THEN repetition END) AS after_count
FROM compared_runs;

-- In the order of enum run_metric. size: "12 % less", "x39".
-- :keep totals
WITH m (place, name, title, what) AS (VALUES (1, 'wall_ns', 'wall less hooks', 'wall time'),
	(2, 'hooks_ns', 'hooks in it', ''), (3, 'raw_wall_ns', 'raw wall', 'raw wall time'),
	(4, 'cpu_ns', 'CPU less hooks', 'CPU time'), (5, 'self_ns', 'self time', 'self time'),
	(6, 'calls', 'calls', 'calls'), (7, 'alloc_count', 'allocations', 'allocations'),
	(8, 'alloc_bytes', 'bytes allocated', 'bytes allocated'), (9, 'peak_bytes', 'peak', ''),
	(10, 'live_bytes_at_exit', 'live at exit', 'memory live at exit'))
SELECT m.*, t.*, IIF(name = 'live_bytes_at_exit', 'bytes', name) AS kind,
	CASE WHEN NOT is_known OR before = after OR change_percent IS NULL THEN ''
	WHEN change_percent >= 900 THEN printf('x%.0f', 1.0 * after / before)
	WHEN ABS(change_percent) < 0.05 THEN printf('%+.1g%%', change_percent)
	ELSE printf('%+.1f%%', change_percent) END AS ratio,
	IIF(low_percent IS NOT NULL AND is_known, printf('%+.*f to %+.*f%%', ABS(low_percent) < 10, low_percent,
	ABS(high_percent) < 10, high_percent), '')
	AS interval, CASE WHEN ABS(change_percent) < 0.05 THEN 'as much ' || what
	WHEN change_percent >= 100 THEN printf('%.1f times the ', 1 + change_percent / 100) || what
	ELSE printf('%.*f %% %s ', change_percent NOT BETWEEN -98.5 AND -10 AND change_percent < 10,
	ABS(change_percent), CASE WHEN change_percent > 0 THEN 'more' WHEN name GLOB '*_ns'
	OR name GLOB 'live*' THEN 'less' ELSE 'fewer' END) || what END AS size
FROM m JOIN compared_totals t ON t.rowid = m.place;

-- :include obstacles

-- Weights: the changes of functions and paths as parts of the run's, for time (proven or not),
-- calls and allocations.
-- :keep weights
WITH larger AS (SELECT name, MAX(before, after) AS size FROM totals),
scale AS (SELECT TOTAL(size) FILTER (WHERE name = 'cpu_ns') AS cpu, has_cpu, is_pair,
	TOTAL(size) FILTER (WHERE name = 'self_ns') AS self,
	MAX(1.0, TOTAL(size) FILTER (WHERE name = 'calls')) AS all_calls,
	MAX(1.0, TOTAL(size) FILTER (WHERE name = 'alloc_count')) AS all_allocs,
	MAX(1.0, TOTAL(size) FILTER (WHERE name = 'alloc_bytes')) AS all_bytes FROM larger JOIN known),
subject AS (SELECT 'functions' AS part, number, name, presence, passes, verdict, is_judged, repeats,
	ready_verdict, blocked_verdict, main_change, self_blocked_ns_change, before_calls, after_calls,
	before_self_ns, after_self_ns, before_self_cpu_ns, after_self_cpu_ns,
	own_alloc_count_change AS allocs, own_alloc_bytes_change AS bytes
	FROM compared_functions WHERE presence AND NOT is_zero
UNION ALL SELECT 'call_paths', number, name, presence, passes, verdict, 1, 0, ready_verdict,
	blocked_verdict, main_change, self_blocked_ns_change, before_calls, after_calls, before_self_ns,
	after_self_ns, before_self_cpu_ns, after_self_cpu_ns, alloc_count_change, alloc_bytes_change
	FROM compared_paths WHERE before_self_ns <> after_self_ns OR before_self_cpu_ns <> after_self_cpu_ns
	OR before_calls <> after_calls OR alloc_count_change <> 0 OR alloc_bytes_change <> 0
	OR self_blocked_ns_change <> 0)
SELECT *, (after_ns - before_ns) / whole_ns AS time_share, (after_calls - before_calls) / all_calls AS call_share,
	is_judged * MAX(ABS(main_change) / whole_ns, 0.25 * has_cpu * ABS(self_blocked_ns_change) / MAX(self, 1.0))
	AS certain_share,
	MAX(ABS(allocs) / all_allocs, ABS(bytes) / all_bytes) AS heap_share
FROM (SELECT *, IIF(has_cpu, before_self_cpu_ns, before_self_ns) AS before_ns,
	IIF(has_cpu, after_self_cpu_ns, after_self_ns) AS after_ns,
	MAX(1.0, IIF(has_cpu, cpu, self)) AS whole_ns FROM subject JOIN scale);

-- The answer in a sentence: which changes of time are proven, or what was measured without proof;
-- then the largest change of a count and the function it is in.
-- :note answer
WITH times AS (SELECT *, verdict IN ('improved', 'regressed', 'unchanged') AS is_proven,
	IIF(verdict = 'unchanged', 'unchanged ' || what, size || IIF(told = '', '', ' (' || told || ')')) AS text
	FROM (SELECT *, LTRIM(IIF(verdict IN ('improved', 'regressed'), interval, '') || IIF(name <> 'cpu_ns'
	AND change_percent BETWEEN -99.9 AND -33, printf('; %.1fx faster', 1.0 * before / after), ''), '; ')
	AS told FROM totals) JOIN known WHERE change_percent IS NOT NULL AND (name = 'cpu_ns' AND has_cpu
	OR name = IIF((SELECT is_known FROM totals WHERE name = 'wall_ns'), 'wall_ns', 'raw_wall_ns'))),
proof AS (SELECT is_pair, MIN(before_count, after_count) AS least,
	IIF(before_count = after_count, counted('run', before_count) || ' a side',
	before_count || ' and ' || counted('run', after_count)) AS runs,
	group_concat(text, ' and ') FILTER (WHERE is_proven) AS proven,
	group_concat(text, ' and ') FILTER (WHERE NOT is_proven) AS measured,
	MAX(verdict IN ('improved', 'regressed')) AS is_any, MAX(is_blurred OR name = 'raw_wall_ns') AS is_vague FROM times),
shares AS (SELECT *, is_judged AND main_change <> 0 AS is_certain, short_name(name) AS function
	FROM weights WHERE part = 'functions'),
called AS (SELECT *, 1.0 * after_calls / NULLIF(before_calls, 0) AS ratio FROM shares
	WHERE repeats AND ABS(call_share) >= IIF(presence = 3, 0.001, 0.05)
	ORDER BY ABS(call_share) DESC, number LIMIT 1),
allocating AS (SELECT * FROM shares WHERE bytes <> 0 ORDER BY ABS(bytes) DESC, number LIMIT 1),
leaving AS (SELECT short_name(name) AS function, after_live_bytes - before_live_bytes AS bytes
	FROM compared_sites WHERE presence AND passes
	ORDER BY ABS(after_live_bytes - before_live_bytes) DESC, rowid LIMIT 1),
taking AS (SELECT s.*, ABS(s.time_share) < ABS(c.time_share) AS is_less FROM shares s JOIN proof p LEFT JOIN called c
	WHERE ABS(s.time_share) >= 0.05 AND (is_any OR p.is_pair AND s.is_certain)
	AND s.number IS NOT c.number
	ORDER BY ABS(s.time_share) DESC, s.number LIMIT 1),
waiting AS (SELECT s.* FROM shares s JOIN times w ON w.name = 'wall_ns' AND s.has_cpu
	AND w.verdict IN ('improved', 'regressed') LEFT JOIN times c ON c.name = 'cpu_ns'
	WHERE c.verdict NOT IN ('improved', 'regressed') AND ABS(self_blocked_ns_change) >= 0.05 * self
	ORDER BY ABS(self_blocked_ns_change) DESC, number LIMIT 1)
SELECT UPPER(SUBSTR(text, 1, 1)) || SUBSTR(text, 2) AS text, advice FROM (SELECT CASE
	WHEN n."all" IS NOT NULL THEN 'The sides cannot be compared; the reasons are below.'
	WHEN n.times IS NOT NULL THEN 'Times cannot be compared; the reasons are below'
	WHEN proven IS NOT NULL THEN proven || ', proven by ' || runs
	|| IFNULL('; ' || measured || ', not proven', '')
	WHEN is_pair THEN measured || ', measured once: one run a side proves nothing about times'
	WHEN measured IS NOT NULL THEN measured || ', not proven by ' || runs || IIF(least < 4, ' (at least 4 are needed)', '')
	|| IIF(is_vague, ': the cost of the hooks is not known well enough', '')
	ELSE 'No time was measured' END || IIF(n."all" IS NOT NULL, '',
	IFNULL((SELECT '; ' || function || ' has ' || CASE
	WHEN before_calls = 0 THEN people('calls', after_calls) || ' calls, none before'
	WHEN after_calls = 0 THEN 'no calls (' || people('calls', before_calls) || ' before)'
	WHEN ratio >= 2 THEN printf('%.1f times the', ratio) ELSE printf('%.*f %% %s',
	ratio > 0.9 AND ratio < 1.1 OR ratio < 0.015, 100 * ABS(1 - ratio), IIF(ratio < 1, 'fewer', 'more')) END
	|| IIF(before_calls * after_calls = 0, '', ' calls (' || people('calls', before_calls) || ' to '
	|| people('calls', after_calls) || ')')
	|| IIF(is_certain AND ABS(time_share) >= 0.01, ', ' || unit || ' ' || people('ns', before_ns)
	|| ' to ' || people('ns', after_ns), '')
	FROM called), '')
	|| IFNULL((SELECT '; ' || size || ', most in ' || function || ' ('
	|| difference('bytes', bytes, 0) || ')' FROM allocating
	JOIN totals t ON t.name = 'alloc_bytes' AND ABS(change_percent) >= 0.1), '')
	|| IFNULL((SELECT '; ' || size || ', most in ' || function || ' ('
	|| difference('bytes', bytes, 0) || ')' FROM leaving
	JOIN totals t ON t.name = 'live_bytes_at_exit' AND ABS(change_percent) >= 0.1), '')
	|| IFNULL((SELECT '; ' || IIF(is_less, 'also', 'most') || IIF(is_certain, '', ', probably,') || ' in '
	|| function || ', ' || unit || ' ' || people('ns', before_ns) || ' to ' || people('ns', after_ns) FROM taking), '')
	|| IFNULL((SELECT '; blocked ' || difference('ns', self_blocked_ns_change, 0) || ' in ' || function
	FROM waiting), '')
	|| CASE (SELECT MAX((call_share <> 0 OR heap_share <> 0) + (ABS(call_share) >= 0.001 OR heap_share >= 0.001))
	FROM shares) WHEN 0 THEN '; no count of calls or bytes changed'
	WHEN 1 THEN '; counts of calls and bytes differ by less than 0.1 %' ELSE '' END || '.') AS text,
	IIF(is_pair AND n."all" IS NULL, 'Record 5 runs of each: prof-record --repeat 5 --against '''
	|| replace(b.command, '''', '''\''''') || ''' -- ' || a.command, NULL) AS advice
FROM proof JOIN not_comparable n JOIN compared_runs b ON b.rowid = 1
	JOIN (SELECT MAX(rowid), command FROM compared_runs) a
	JOIN (SELECT IIF(has_cpu, 'CPU', 'self time') AS unit FROM known));

-- "runs 3, 5, 7 'old' of a.db: ./app", shortened when there are many; "3 jobs of 8 ranks, " when
-- single recordings are not repetitions.
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

-- :note obstacles warning
SELECT note, text, advice FROM obstacles WHERE :machine OR note <> 'command_differs' ORDER BY turn, place;

-- :note comparable
SELECT 'good' AS level, 'comparable: same command, machine and level; complete, nothing lost'
	AS text WHERE NOT EXISTS (SELECT 1 FROM obstacles)
UNION ALL SELECT 'plain', IIF((SELECT MIN(note = 'command_differs') FROM obstacles),
	'comparable: same machine and level; complete, nothing lost; the commands differ',
	'Counts and times can be compared all the same.') FROM not_comparable
WHERE EXISTS (SELECT 1 FROM obstacles) AND "all" IS NULL AND times IS NULL;

-- The hooks' part is shown from half a percent of the wall time on, where it changes the digits.
-- More calls are neither better nor worse. Nobody records more than 200 runs. Self times contain
-- the waits of all threads, so people see them only if there is no CPU time.
-- :table totals whole = Totals
SELECT name AS ".name/text", title AS "of the run!:~title", before AS ".before/any",
	after AS ".after/any", after - before AS ".difference/any",
	before_error AS ".before_error/any", after_error AS ".after_error/any",
	error AS ".difference_error/any", amount(kind, before, before_error) AS "before!:~before_text/mean",
	amount(kind, after, after_error) AS "after!:~after_text/mean",
	difference(kind, after - before, error) AS "change:~difference_text/mean",
	change_percent AS ".change_percent", low_percent AS ".low_percent",
	high_percent AS ".high_percent", ratio AS "%!:~ratio/mean",
	IIF(MAX(interval <> '') OVER (), interval, NULL) AS "95 % range!:?~range/mean", p AS ".p/any",
	is_exact AS ".exact/flag", counted_verdict AS ".verdict",
	IIF(verdict = 'inconclusive', 'not proven', counted_verdict) AS "verdict!:~told_verdict/text",
	CASE WHEN verdict = 'inconclusive' AND runs_needed THEN runs_needed END
	AS ".runs_needed/count",
	CASE WHEN is_blurred THEN 'within the error of the hooks'' cost: more runs will not help'
	WHEN NOT is_known THEN 'unknown on one side: the hooks took nearly all of it'
	WHEN verdict = 'inconclusive' AND runs_needed > runs + 200
	THEN 'too noisy: more runs would not settle it'
	WHEN verdict = 'inconclusive' AND runs_needed > runs
	THEN '~' || (runs_needed - runs) || ' more runs a side'
	WHEN change_percent > high_percent OR change_percent < low_percent
	THEN 'one run is an outlier: the means differ by more than the interval'
	WHEN is_demoted THEN 'repeated runs differ' END AS "why:>?~verdict_why"
FROM (SELECT *, CASE WHEN name <> 'calls' THEN verdict WHEN verdict = 'regressed' THEN 'more'
	WHEN verdict = 'improved' THEN 'fewer' ELSE verdict END AS counted_verdict FROM totals)
	JOIN (SELECT MIN(before_count, after_count) AS runs, has_cpu FROM known)
	JOIN (SELECT MAX(h.before >= 0.005 * w.before, h.after >= 0.005 * w.after) AS has_hooks
	FROM totals h JOIN totals w ON h.name = 'hooks_ns' AND w.name = 'wall_ns')
WHERE (name <> 'cpu_ns' OR has_cpu) AND (:machine OR name <> 'self_ns' OR NOT has_cpu)
	AND (:machine OR has_hooks OR name NOT IN ('hooks_ns', 'raw_wall_ns'))
ORDER BY place;

-- Whether wall or CPU time changed: a noisy machine moves only the wall time.
-- :note moved
SELECT CASE WHEN wall AND cpu THEN 'CPU time and wall time moved in opposite directions:
	waits make up the difference.' WHEN wall THEN 'Wall time changed and CPU time did not
	measurably: the change is in waits, for a CPU or for something else.' ELSE 'CPU time
	changed and wall time did not measurably: the change overlaps waits, or is on threads
	that nobody waits for.' END AS text
FROM (SELECT w.verdict IN ('regressed', 'improved') AS wall, w.verdict = c.verdict AS is_same,
	c.verdict IN ('regressed', 'improved') AS cpu FROM totals w JOIN totals c
	ON w.name = 'wall_ns' AND c.name = 'cpu_ns') JOIN known WHERE has_cpu AND (wall OR cpu) AND NOT is_same;

-- The rows of the tables below. kind: 0 changed, 1 within its error, 2 unchanged. Weights are
-- shares of the run's time, calls, allocations or bytes. In a single pair counts are certain and
-- times are not; a call costs nothing by itself. People see every certain change; uncertain times
-- from 1 % of the run's on, others from 0.1 %. Machines get all rows, so that they add up to the
-- run's.
-- :keep ranks
WITH all_rows AS (SELECT 'components' AS part, 15 AS most, number, ABS(main_change) AS share, 0 AS kind,
	main_change AS change, 1 AS is_wanted, 1 AS is_other
	FROM compared_components WHERE :by IS NOT NULL
UNION ALL SELECT part, IIF(part = 'functions', 15, 5), number,
	MAX(heap_share, IIF(is_pair, 0.5, 1) * MAX(certain_share, 0.9 * ABS(time_share)), 0.5 * ABS(call_share)),
	CASE WHEN call_share <> 0 OR heap_share > 0 OR certain_share > 0 THEN 0
	WHEN time_share = 0 OR verdict = 'unchanged' AND ready_verdict NOT IN ('improved', 'regressed')
	AND blocked_verdict NOT IN ('improved', 'regressed') THEN 2 ELSE 1 END, main_change,
	repeats AND call_share <> 0 OR verdict IN ('improved', 'regressed')
	OR MAX(heap_share, certain_share, ABS(call_share)) >= 0.001 OR ABS(time_share) >= 0.01,
	certain_share > 0 OR heap_share > 0 OR IIF(:machine, before_self_ns <> after_self_ns,
	call_share <> 0 OR ABS(time_share) >= 0.01)
	FROM weights WHERE passes
UNION ALL SELECT 'allocation_sites', 10, number, share, 0, main_change, 1, 1 FROM (SELECT number, main_change,
	passes, MAX(ABS(main_change), ABS(after_live_bytes - before_live_bytes))
	+ ABS(alloc_count_change) / 1e9 AS share FROM compared_sites
	WHERE presence) WHERE share > 0 AND passes),
placed AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY part ORDER BY is_wanted DESC, share DESC, number)
	AS place, limit_of(most) AS row_limit, limit_of(0) < 0 OR limit_of(most) = 9223372036854775807 AS has_no_limit
	FROM all_rows WHERE part <> 'call_paths' OR is_other)
SELECT *, place <= row_limit AND (is_wanted OR :machine OR has_no_limit) AS is_shown FROM placed;

-- "10 of 812 changed functions shown" and the like, when rows are left out.
-- :keep footers
SELECT part, count, CASE WHEN shown = count THEN '' ELSE
	IIF(changed_left, people('count', shown) || ' of ' || counted(noun, shown + changed_left)
	|| ' shown, with ' || people('percent', IIF(size > 0, 100 * shown_size / size, 100.0))
	|| ' of all changes in ' || what || '; ', '')
	|| IIF(small_left, people('count', small_left) || ' smaller than 0.1%, ', '')
	|| IIF(unchanged_left, people('count', unchanged_left) || ' unchanged, ', '')
	|| IIF(blurred_left, people('count', blurred_left) || ' within their errors, ', '')
	|| '--limit 0 shows all' END AS text
FROM (SELECT part, COUNT(*) AS count, TOTAL(is_shown) AS shown,
	TOTAL(ABS(change)) AS size, TOTAL(ABS(change) * is_shown) AS shown_size,
	SUM(is_wanted AND NOT is_shown) AS changed_left,
	SUM(kind = 0 AND NOT is_wanted AND NOT is_shown) AS small_left,
	SUM(kind = 1 AND NOT is_wanted AND NOT is_shown) AS blurred_left,
	SUM(kind = 2 AND NOT is_wanted AND NOT is_shown) AS unchanged_left,
	CASE part WHEN 'components' THEN 'component' WHEN 'functions' THEN 'changed function'
	WHEN 'call_paths' THEN 'changed path' ELSE 'changed site' END AS noun,
	CASE WHEN part = 'allocation_sites' THEN 'bytes' ELSE IIF(has_cpu, 'CPU time', 'self time') END
	AS what FROM ranks JOIN known GROUP BY part);

-- The functions, paths and components of the tables.
-- :keep subjects
SELECT part, place, c.* FROM ranks CROSS JOIN compared_components c ON c.rowid = ranks.number + 1
	WHERE part = 'components' AND is_shown
UNION ALL SELECT part, place, f.* FROM ranks CROSS JOIN compared_functions f
	ON f.rowid = ranks.number + 1 WHERE part = 'functions' AND is_shown
UNION ALL SELECT part, place, p.* FROM ranks CROSS JOIN compared_paths p
	ON p.rowid = ranks.number + 1 WHERE part = 'call_paths' AND is_shown;

-- The columns for machines.
-- :with both_sides
SELECT s.rowid AS "-row_again/any", before_calls AS ".before_calls", after_calls AS ".after_calls",
	before_alloc_count AS ".before_alloc_count", after_alloc_count AS ".after_alloc_count",
	before_alloc_bytes AS ".before_alloc_bytes", after_alloc_bytes AS ".after_alloc_bytes",
	before_self_error_ns AS ".before_self_error_ns",
	after_self_error_ns AS ".after_self_error_ns",
	before_self_cpu_error_ns AS ".before_self_cpu_error_ns",
	after_self_cpu_error_ns AS ".after_self_cpu_error_ns",
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
	SUBSTR(CASE has_cpu || verdict WHEN '1regressed' THEN ', +computing' WHEN '1improved' THEN ', -computing'
	ELSE '' END || CASE blocked_verdict WHEN 'regressed' THEN ', +blocked' WHEN 'improved' THEN ', -blocked'
	ELSE '' END || CASE ready_verdict WHEN 'regressed' THEN ', +ready' WHEN 'improved' THEN ', -ready'
	ELSE '' END, 3) AS ".moved/text", wall_verdict AS ".wall_verdict/text",
	wall_low_percent AS ".wall_low_percent", wall_high_percent AS ".wall_high_percent",
	ready_verdict AS ".ready_verdict/text", blocked_verdict AS ".blocked_verdict/text"
FROM subjects s JOIN known;

-- The columns for people. A change is after minus before. It has a ~ if its error may have made
-- it, or if one side was measured and the other estimated. Other changes stand below the row.
-- Only a real difference is split into the part that more calls at the old cost make, and the
-- rest.
-- :keep told
SELECT s.rowid AS row, difference('ns', own, IIF(is_certain, 0, ABS(own) + 1)) AS change,
	by_calls_ns, own - by_calls_ns AS by_cost_ns,
	IIF(before_calls = after_calls, '', difference('calls', after_calls - before_calls, 0)) AS call_change,
	CASE WHEN presence = 2 THEN 'new' WHEN presence = 1 THEN 'gone' WHEN verdict IN ('-', 'inconclusive') THEN ''
	ELSE verdict END AS told_verdict, NOT is_certain AS is_vague,
	NULLIF(SUBSTR(IIF(is_renamed AND part = 'functions', '; renamed from ' || short_name(name_before), '')
	|| IIF(effect = '' OR is_pair, '', '; 95 % range ' || effect)
	|| IIF(ABS(self_blocked_ns_change) < 0.01 * self AND blocked_verdict NOT IN ('improved', 'regressed'), '',
	'; blocked ' || difference('ns', after_self_blocked_ns - before_self_blocked_ns, 0)
	|| IIF(blocked_verdict IN ('improved', 'regressed'), ' (proven)', ''))
	|| IIF(ABS(self_ready_ns_change) < 0.01 * self AND ready_verdict NOT IN ('improved', 'regressed'), '',
	'; CPU wait ' || difference('ns', after_self_ready_ns - before_self_ready_ns, 0)
	|| IIF(ready_verdict IN ('improved', 'regressed'), ' (proven)', ''))
	|| IIF(allocs = 0, '', '; allocations ' || difference('calls', allocs, 0))
	|| IIF(bytes = 0, '', '; bytes ' || difference('bytes', bytes, 0))
	|| IIF(inlined_calls_change = 0, '', '; inlined calls ' || difference('calls', inlined_calls_change, 0))
	|| IIF(unwound_count_change = 0, '', '; seen by unwinding ' || difference('calls', unwound_count_change, 0)), 3), '') AS more,
	CASE presence WHEN 3 THEN 'matched' WHEN 2 THEN 'new' ELSE 'gone' END AS status
FROM (SELECT s.rowid, *, own = 0 OR (main_change <> 0 AND (is_judged IS NOT 0 OR part <> 'functions')) AS is_certain,
	CASE WHEN before_calls > 0 AND after_calls > 0
	THEN (after_calls - before_calls) * (1.0 * before_ns / before_calls) ELSE 1.0 * own END
	AS by_calls_ns, IIF(part = 'functions', own_alloc_count_change, alloc_count_change) AS allocs,
	IIF(part = 'functions', own_alloc_bytes_change, alloc_bytes_change) AS bytes
	FROM (SELECT s.rowid, *, IIF(has_cpu, before_self_cpu_ns, before_self_ns) AS before_ns,
	IIF(has_cpu, after_self_cpu_ns - before_self_cpu_ns, after_self_ns - before_self_ns) AS own,
	(SELECT MAX(before, after) FROM totals WHERE name = 'self_ns') AS self FROM subjects s JOIN known) s) s;

-- The columns of the people's tables.
-- :with columns
SELECT t.row AS "-row/any", before_self_ns AS "before!:before_self_ns", after_self_ns AS "after!:after_self_ns",
	before_self_cpu_ns AS "before!:before_self_cpu_ns",
	after_self_cpu_ns AS "after!:after_self_cpu_ns", change AS "change!:~change/mean",
	amount('calls', before_calls, 0) AS "calls before:~calls_before/mean",
	amount('calls', after_calls, 0) AS "calls after:~calls_after/mean", call_change AS "in calls!:?~call_change/mean",
	verdict AS ".verdict", told_verdict AS "verdict!:?~told_verdict/text", more AS "besides:>?~besides/text",
	'name path ' || IIF(has_cpu, 'before_self_cpu_ns after_self_cpu_ns', 'before_self_ns after_self_ns')
	AS "-shown/text", IIF(has_cpu, 'CPU time', 'self time') AS "-unit/text",
	IIF(MAX(is_vague) OVER (PARTITION BY s.part), ' (~: within the error)', '') AS "-marks/text",
	f.text AS "-footer/text", f.count AS "-of_rows/any"
FROM subjects s JOIN told t ON t.row = s.rowid JOIN known JOIN footers f ON f.part = s.part;

-- :note components human
SELECT 'Components: no change to show.' AS text
WHERE NOT EXISTS (SELECT 1 FROM ranks WHERE part = 'components' AND is_shown) AND :by IS NOT NULL;

-- :table components quiet optional = Components by change of {unit}{marks}
SELECT c.*, name AS "component!:name",
	1.0 * after_self_ns - before_self_ns AS ".self_difference_ns", m.*
FROM subjects s JOIN columns c ON c."-row/any" = s.rowid JOIN told t ON t.row = s.rowid
	JOIN both_sides m ON m."-row_again/any" = s.rowid JOIN known
WHERE s.part = 'components' ORDER BY s.place;

-- :note functions human
SELECT 'Functions: no change to show.' AS text
WHERE NOT EXISTS (SELECT 1 FROM ranks WHERE part = 'functions' AND is_shown);

-- :table functions quiet main = Functions by change of {unit}, calls and allocations{marks}
SELECT c.*, name AS "function!:name", 1.0 * after_self_ns - before_self_ns AS ".self_difference_ns",
	self_ns_error AS ".self_difference_error_ns",
	by_calls_ns AS ".by_calls_ns", by_cost_ns AS ".by_cost_ns",
	before_total_ns AS ".before_total_ns", after_total_ns AS ".after_total_ns",
	before_own_alloc_count AS ".before_own_alloc_count",
	after_own_alloc_count AS ".after_own_alloc_count",
	before_own_alloc_bytes AS ".before_own_alloc_bytes",
	after_own_alloc_bytes AS ".after_own_alloc_bytes", status AS ".status",
	name_before AS ".before_name", file AS "where:.file/place", line AS "-line/id",
	linkage_name AS ".linkage_name/text", is_judged AS ".timed_alike/flag", m.*
FROM subjects s JOIN columns c ON c."-row/any" = s.rowid JOIN told t ON t.row = s.rowid
	JOIN both_sides m ON m."-row_again/any" = s.rowid JOIN known
WHERE s.part = 'functions' ORDER BY s.place;

-- How many functions of both sides have no verdict because they were recorded in different ways.
-- :note timed_otherwise
SELECT 'The times of {count function} (such as ''{name}'') are not judged: on one side they, or what
	they call, were timed call by call, on the other they are estimates.' AS text,
	'Record both sides with the same level to have them judged.' AS advice, MIN(number), name,
	COUNT(*) AS count
FROM compared_functions JOIN not_comparable WHERE presence = 3 AND NOT is_alike AND NOT has_levels
HAVING COUNT(*);

-- The whole run changed for sure, errors included, but no single function is known to have
-- changed and none is new or gone. The change is in the estimated functions, but not known in
-- which.
-- :note not_attributed
WITH whole AS (SELECT ratio || ' (' || interval || ')' AS effect, has_cpu, IIF(low > 0 AND low_percent > 0, 1,
	IIF(high < 0 AND high_percent < 0, -1, 0)) AS direction
	FROM totals JOIN known JOIN not_comparable n ON n."all" IS NULL AND n.times IS NULL
	AND NOT has_levels WHERE name = IIF(has_cpu, 'cpu_ns', 'wall_ns') AND is_known
	AND verdict IN ('improved', 'regressed')),
times AS (SELECT presence, verdict, main_change, estimated OR holder AS is_estimated,
	IIF(has_cpu, before_self_cpu_ns + after_self_cpu_ns, before_self_ns + after_self_ns) AS ns
	FROM compared_functions JOIN whole WHERE direction <> 0 AND presence),
sums AS (SELECT SUM(is_estimated) AS count, TOTAL(ns) FILTER (WHERE is_estimated) AS ns,
	TOTAL(ns) AS all_ns FROM times)
SELECT IIF(has_cpu, 'CPU time ', 'Wall time ') || effect || ', not attributed: '
	|| IIF(count, '{count function}, with {share} of the time, {count|is an estimate or
	contains one|are estimates or contain some}; no change in them is proven.',
	'no function''s time changed by more than its own interval.') AS text,
	CASE WHEN count THEN 'PROFSHIM_LEVEL=exact on both sides times every call; PROFSHIM_ONLY with few
	functions leaves the budget to these.' END AS advice, count,
	people('percent', IIF(all_ns > 0, 100 * ns / all_ns, 0.0)) AS share
FROM whole JOIN sums WHERE direction <> 0 AND NOT EXISTS (SELECT 1 FROM times
	WHERE verdict = IIF(direction > 0, 'regressed', 'improved')
	OR presence = IIF(direction > 0, 2, 1) AND main_change <> 0);

-- :note allocation_sites human
SELECT 'Allocation sites: no change.' AS text
WHERE NOT EXISTS (SELECT 1 FROM ranks WHERE part = 'allocation_sites' AND is_shown);

-- :table allocation_sites quiet = Allocation sites
SELECT before_alloc_bytes AS "bytes before!:before_alloc_bytes", after_alloc_bytes
	AS "after!:after_alloc_bytes", difference('bytes', after_alloc_bytes - before_alloc_bytes, 0)
	AS "change!:~bytes_difference/mean", amount('count', before_alloc_count, 0)
	AS "allocs before:~allocs_before/mean", amount('count', after_alloc_count, 0)
	AS "allocs after:~allocs_after/mean", IIF(before_alloc_count = after_alloc_count, '',
	difference('count', after_alloc_count - before_alloc_count, 0)) AS "change:?~allocs/mean",
	IIF(before_live_bytes = after_live_bytes, '', difference('bytes',
	after_live_bytes - before_live_bytes, 0)) AS "live!:?~live_difference/mean",
	before_alloc_count AS ".before_alloc_count", after_alloc_count AS ".after_alloc_count",
	before_live_bytes AS ".before_live_bytes", after_live_bytes AS ".after_live_bytes",
	before_at_peak_bytes AS ".before_at_peak_bytes", after_at_peak_bytes AS ".after_at_peak_bytes",
	CASE presence WHEN 3 THEN '' WHEN 2 THEN 'new' ELSE 'gone' END AS "match:?~match/text",
	CASE presence WHEN 3 THEN 'matched' WHEN 2 THEN 'new' ELSE 'gone' END AS ".status",
	name AS "function!:owner/name", file AS "where!:file/place", line AS "-line/id",
	line_of AS "-line_of",
	path_id AS "call path:>path",
	(SELECT text FROM footers f WHERE f.part = 'allocation_sites') AS "-footer/text",
	(SELECT count FROM footers f WHERE f.part = 'allocation_sites') AS "-of_rows/any"
FROM ranks CROSS JOIN compared_sites c ON c.rowid = ranks.number + 1
WHERE part = 'allocation_sites' AND is_shown ORDER BY place;

-- How a difference divides among functions of both sides, new ones and gone ones; people see it
-- if some are new or gone. The errors add up to no more than the total's.
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
	AND (:machine OR ABS(new) + ABS(gone) > 0.001 * MAX(before, after)) ORDER BY place;

-- :note call_paths human
SELECT 'Call paths: no change to show.' AS text
WHERE NOT EXISTS (SELECT 1 FROM ranks WHERE part = 'call_paths' AND is_shown);

-- :table call_paths quiet = Call paths by change of {unit}{marks}
SELECT c.*, status AS ".status", name AS "function!:name", path_id AS "call path:>path", m.*
FROM subjects s JOIN columns c ON c."-row/any" = s.rowid JOIN told t ON t.row = s.rowid
	JOIN both_sides m ON m."-row_again/any" = s.rowid JOIN known
WHERE s.part = 'call_paths' ORDER BY s.place;

-- :include left_out_of_paths

-- :code compared_profile
-- :include gate
