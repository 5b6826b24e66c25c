-- SPDX-License-Identifier: MIT
-- :report history: what changed over the runs of an archive
-- :takes archive maybe limit
-- :argument FUNC
-- :build history_build
-- :example prof-analyze history history.db
-- :about
-- Which run made which function slower, over all runs that can be compared with the latest one:
-- those of its workload (label, or program and arguments), host, processor and level, and with
-- the tags that --tag names. Other runs are counted and left out.
--
-- Calls and allocations that repeat from run to run are exact: each change is shown, in the run
-- that brought it. Times, and counts that vary, are searched for new levels by ranks: a change is
-- shown when the chance that any function shows one without reason is below 5 %. It takes at least
-- four runs on either side, and five or six among many functions. Its interval (95 %,
-- Hodges-Lehmann) is that of the change. What rather follows a line is drifting. Functions with
-- less than 0.1 % of the CPU time are judged by their counts alone.
--
-- --gate judges one run, the latest, another of the archive or a file, by the level that at least
-- five earlier ones have now. Calls and allocations that repeat are compared exactly; those that
-- vary must be above all before, and more than chance explains; times by 5 % for sure (Student's
-- prediction interval; Benjamini-Hochberg over all that is judged). Status 3 if anything is worse.
--
-- With FUNC, of one function: its course, and each run.

-- :note no_runs empty stop
SELECT 'The archive holds no run' || CASE WHEN EXISTS (SELECT 1 FROM wanted_tags) THEN ' with these tags.'
	ELSE '.' END AS text, 'prof-analyze archive add puts recordings into it.' AS advice
WHERE NOT EXISTS (SELECT 1 FROM chosen_runs) AND NOT EXISTS (SELECT 1 FROM gated);

-- :keep newest
SELECT *, (SELECT COUNT(*) FROM chosen_runs) AS runs, (SELECT COUNT(*) FROM archived) AS all_runs,
	(SELECT MIN(started_utc) FROM chosen_runs) AS first_utc,
	(SELECT TOTAL(cpu_ns) FROM (SELECT IFNULL(self_cpu_ns, self_ns) AS cpu_ns FROM chosen_runs))
	/ MAX(1, (SELECT COUNT(*) FROM chosen_runs)) AS cpu_ns
FROM chosen_runs ORDER BY place DESC LIMIT 1;

-- :note gate_few empty stop
SELECT 'gate: cannot be judged: ' || counted('earlier run', (SELECT COUNT(*) FROM chosen_runs)) || ' of '
	|| workload || ' on ' || host || ', level ' || level || ', at least 5 are needed.' AS text,
	'prof-analyze archive add puts more into the archive.' AS advice
FROM gated WHERE (SELECT COUNT(*) FROM chosen_runs) < 5;

-- :values compared machine
SELECT runs AS ".run_count", all_runs AS ".archived_run_count", workload AS ".workload",
	host AS ".host", level AS ".level", first_utc AS ".first_utc", started_utc AS ".latest_utc",
	small AS ".small_function_count", otherwise AS ".left_out_time_count" FROM newest JOIN not_compared;

-- :note runs human
SELECT counted('run', runs) || ' of ' || workload || ' on ' || host || ', level ' || level || ', '
	|| substr(first_utc, 1, 10) || CASE WHEN substr(started_utc, 1, 10) <> substr(first_utc, 1, 10)
	THEN ' to ' || substr(started_utc, 1, 10) ELSE '' END || '.' AS text,
	CASE WHEN all_runs > runs AND NOT EXISTS (SELECT 1 FROM gated) THEN counted('other run', all_runs - runs)
	|| ' of the archive cannot be compared with these: other workload, host or level; --tag chooses.' END AS advice
FROM newest;

-- :note otherwise human
SELECT counted('time', otherwise) || ' of functions left out: in other runs they were only counted, or were timed.' AS text
FROM not_compared WHERE otherwise;

-- What --gate found. Of the run as a whole more calls are no worse alone; nor are bytes by which
-- names and arguments of programs differ, nor a function's time by less than half a percent of all.
-- :keep gate_results
SELECT c.*, s.name, s.file, IFNULL(s.name, 'the whole run') AS function, CASE quantity WHEN 'cpu_ns' THEN 'CPU'
	WHEN 'total_ns' THEN 'wall' WHEN 'blocked_ns' THEN 'blocked' WHEN 'alloc_count' THEN 'allocs'
	WHEN 'alloc_bytes' THEN 'bytes' WHEN 'peak_bytes' THEN 'peak' ELSE quantity END AS title,
	CASE WHEN quantity LIKE '%_ns' THEN 'ns' WHEN quantity LIKE '%_bytes' THEN 'bytes' ELSE 'count' END AS unit,
	CASE WHEN result = 'regressed' AND (quantity = 'calls' AND c.subject_id = 0
		OR quantity LIKE '%_ns' AND c.subject_id AND after - before < 0.005 * (SELECT IFNULL(self_cpu_ns, self_ns) FROM gated)
		OR quantity LIKE '%_bytes' AND after - high < 4096 AND after < 1.001 * high) THEN 'changed'
	WHEN result = 'regressed' THEN 'worse' WHEN result = 'improved' THEN 'better' ELSE result END AS became,
	CASE WHEN before = 0 THEN '' WHEN after >= 10 * before THEN printf(', x%.0f', after / before)
	ELSE printf(', %+.1f%%', 100 * (after / before - 1)) END AS ratio
FROM gate_checks c LEFT JOIN subject s USING (subject_id);

-- Functions that only the new run has, or lacks of those that the latest run before has.
-- :keep gate_appeared
SELECT name, file, 'new' AS became, calls AS count FROM gated_functions g WHERE calls > 0 AND :argument IS NULL
	AND NOT EXISTS (SELECT 1 FROM subject s JOIN there USING (subject_id) WHERE s.name = g.name AND s.file = g.file)
UNION ALL SELECT s.name, s.file, 'gone', l.latest FROM there t JOIN subject s USING (subject_id)
	JOIN present_levels l ON l.subject_id = t.subject_id AND l.quantity = 'calls' AND l.latest > 0
	WHERE EXISTS (SELECT 1 FROM gated) AND t.subject_id > 0 AND t.last = (SELECT MAX(place) FROM chosen_runs)
	AND NOT EXISTS (SELECT 1 FROM gated_functions g WHERE g.name = s.name AND g.file = s.file);

-- :keep gate_sum
SELECT COUNT(*) AS checks, COUNT(*) FILTER (WHERE became = 'worse') AS worse, (SELECT COUNT(*) FROM chosen_runs) AS runs
FROM gate_results HAVING EXISTS (SELECT 1 FROM gated);

-- :values gated machine
SELECT checks AS ".check_count", worse AS ".worse_count", runs AS ".earlier_run_count" FROM gate_sum;

-- :note gate_conclusion
SELECT IIF(worse, 'warning', 'good') AS level, IIF(worse, 'gate: failed: ', 'gate: passed: ') || worse || ' of '
	|| counted('quantity', checks) || ' worse than in ' || counted('earlier run', runs) || '.' AS text FROM gate_sum;

-- :keep gate_told
SELECT function || ', ' || title AS "check", name, file, quantity, became,
	CASE WHEN is_exact AND runs > 1 THEN people(unit, before) || ' in each of the last ' || counted('run', runs)
	WHEN runs = 1 THEN people(unit, before) || ' in the last run' ELSE people(unit, low) || ' to ' || people(unit, high)
	|| ' in the last ' || counted('run', runs) END || ', now ' || people(unit, after) || ratio
	|| CASE WHEN low_ratio > 0 THEN printf(' (%+.1f to %+.1f%%)', 100 * (low_ratio - 1), 100 * (high_ratio - 1)) ELSE '' END
	AS message, before, low, high, after, is_exact, p, after / MAX(before, 1) AS times
FROM gate_results WHERE became IN ('worse', 'better', 'changed')
UNION ALL SELECT name || ', calls', name, file, 'calls', became, IIF(became = 'new', 'in no earlier run, now ',
	'now none, before ') || people('count', count), NULL, NULL, NULL, NULL, 1, NULL, 0 FROM gate_appeared;

-- :note gate_worse human
SELECT "check" || ': ' || message || '.' AS text FROM gate_told WHERE became = 'worse' ORDER BY times DESC, "check" LIMIT 20;

-- :note gate_others human
SELECT 'Besides, ' || GROUP_CONCAT(counted, ', ') || '; --format json has all.' AS text FROM (SELECT COUNT(*) || ' ' || became
	AS counted FROM gate_told WHERE became <> 'worse' GROUP BY became ORDER BY became) HAVING COUNT(*);

-- :table gate main machine optional checks
SELECT "check" AS "check!:check/text", name AS ".function/name", file AS ".file", quantity AS ".quantity",
	became AS "result!:result/text", became = 'worse' AS ".failed/flag", message AS "because!:message/text",
	before AS ".before/any", low AS ".low/any", high AS ".high/any", after AS ".after/any", is_exact AS ".exact/flag",
	p AS ".p/any"
FROM gate_told ORDER BY became = 'worse' DESC, became, "check";

-- :code gate
SELECT IIF(worse, 3, 0) AS "status/any" FROM gate_sum UNION ALL SELECT 0 LIMIT 1;

-- :end
SELECT 1 FROM gated;

-- The name of a run: its version, else its commit, else its number.
-- :keep named_runs
SELECT place, run_id, 'run ' || run_id || IFNULL(' ' || IFNULL(version, substr("commit", 1, 10)), '') AS run,
	version, "commit", started_utc FROM chosen_runs;

-- What a quantity is called, and how large a change is among those of its kind.
-- :keep ranked
SELECT c.*, s.name, s.file,
	CASE c.quantity WHEN 'calls' THEN 'calls' WHEN 'cpu_ns' THEN 'CPU' WHEN 'total_ns'
	THEN CASE WHEN c.subject_id THEN 'total' ELSE 'wall' END WHEN 'blocked_ns' THEN 'blocked'
	WHEN 'alloc_count' THEN 'allocs' WHEN 'alloc_bytes' THEN 'bytes' ELSE 'peak' END AS title,
	CASE WHEN c.quantity LIKE '%_ns' THEN 'ns' WHEN c.quantity LIKE '%_bytes' THEN 'bytes'
	ELSE 'count' END AS unit,
	ABS(c.after - c.before) / MAX((SELECT MAX(t.median, t.first) FROM present_levels t WHERE t.subject_id = 0
	AND t.quantity = CASE c.quantity WHEN 'blocked_ns' THEN 'total_ns' ELSE c.quantity END), 1) AS share
FROM level_changes c LEFT JOIN subject s USING (subject_id);

-- :keep shown_changes
SELECT r.*, n.run, n.run_id, n.version, n."commit", n.started_utc,
	IFNULL(r.name, '[the whole run]') AS function,
	people(unit, r.before) || ' to ' || people(unit, r.after) AS step,
	CASE WHEN r.before = 0 THEN '' WHEN r.after >= 10 * r.before THEN printf('x%.0f', r.after / r.before)
	ELSE printf('%+.1f%%', 100 * (r.after / r.before - 1)) END AS ratio,
	CASE WHEN is_exact THEN 'exact' WHEN low > 0 THEN printf('%+.1f to %+.1f%%', 100 * (low - 1), 100 * (high - 1))
	ELSE '' END AS interval
FROM ranked r JOIN named_runs n USING (place);

-- :table changes main quiet rows=20 noun=change = What changed, and in which run; the largest first
SELECT function AS "function!:function/name", file AS ".file", title AS "what!:~what/text",
	quantity AS ".quantity", run AS "since!:~since/text", run_id AS ".run_id", version AS ".version",
	"commit" AS ".commit", started_utc AS ".started_utc", step AS "from, to!:~step/text",
	before AS ".before/any", after AS ".after/any", ratio AS "change!:~change/figure",
	interval AS "range!:~range/figure", low AS ".low_ratio/any", high AS ".high_ratio/any",
	is_exact AS ".exact/flag"
FROM shown_changes WHERE NOT is_drift ORDER BY share DESC, subject_id, quantity, place;

-- :note no_changes human
SELECT 'No change: no count of calls or allocations changed, and no time by more than chance explains.' AS text
WHERE NOT EXISTS (SELECT 1 FROM level_changes WHERE NOT is_drift);

-- :table drifting quiet rows=10 noun=course = Drifting, with no run that brought it
SELECT function AS "function!:function/name", title AS "what!:~what/text", quantity AS ".quantity",
	step AS "from, to!:~step/text", before AS ".before/any", after AS ".after/any",
	ratio AS "change!:~change/figure"
FROM shown_changes WHERE is_drift ORDER BY share DESC, subject_id;

-- Functions that are not in the first or not in the last runs.
-- :keep appeared
SELECT subject_id, first AS place, 1 AS is_new FROM there WHERE first > 0 AND subject_id > 0
UNION ALL SELECT subject_id, last + 1, 0 FROM there WHERE last + 1 < (SELECT COUNT(*) FROM chosen_runs)
	AND subject_id > 0;

-- :table appeared quiet rows=10 noun=function = New and gone functions
SELECT s.name AS "function!:function/name", s.file AS "file:file", CASE WHEN is_new THEN 'new' ELSE 'gone'
	END AS "is!:is/text", n.run AS "since!:~since/text", n.run_id AS ".run_id", n.version AS ".version",
	n."commit" AS ".commit"
FROM appeared a JOIN subject s USING (subject_id) JOIN named_runs n USING (place)
WHERE :argument IS NULL OR EXISTS (SELECT 1 FROM present_levels l WHERE l.subject_id = a.subject_id)
ORDER BY place DESC, is_new DESC, s.name;

-- :table versions quiet rows=12 noun=version = By version, medians; the latest first
SELECT version AS "version!:version/text", COUNT(*) AS "runs!:run_count", median(wall_ns) AS "wall!:wall_ns",
	median(IFNULL(self_cpu_ns, self_ns)) AS "CPU!:cpu_ns", CAST(median(calls) AS INTEGER) AS "calls!:calls",
	CAST(median(alloc_count) AS INTEGER) AS "allocs:alloc_count", CAST(median(peak_bytes) AS INTEGER) AS "peak!:peak_bytes"
FROM chosen_runs WHERE version IS NOT NULL AND :argument IS NULL GROUP BY version ORDER BY MAX(place) DESC;

-- :table levels quiet rows=12 noun=course = {of}: the level since the last change, and the latest run
SELECT IFNULL(s.name, '[the whole run]') AS "function!:function/name", s.file AS ".file",
	CASE l.quantity WHEN 'cpu_ns' THEN 'CPU' WHEN 'total_ns' THEN CASE WHEN l.subject_id THEN 'total' ELSE 'wall' END
	WHEN 'blocked_ns' THEN 'blocked' WHEN 'alloc_count' THEN 'allocs' WHEN 'alloc_bytes' THEN 'bytes'
	WHEN 'peak_bytes' THEN 'peak' ELSE l.quantity END AS "what!:~what/text", l.quantity AS ".quantity",
	l.runs AS "runs!:run_count", people(unit, l.median) AS "median!:~median_text/figure", l.median AS ".median/any",
	CASE WHEN l.high > l.low THEN people(unit, MAX(0, l.low)) || ' to ' || people(unit, l.high) ELSE '' END AS "usual!:~usual/text",
	l.low AS ".low/any", l.high AS ".high/any", people(unit, l.latest) AS "latest!:~latest_text/figure",
	l.latest AS ".latest/any", l.latest < l.low OR l.latest > l.high AS ".outside/flag",
	CASE WHEN l.latest > l.high THEN 'above' WHEN l.latest < l.low THEN 'below' ELSE '' END AS ":?~outside_text/text",
	CASE WHEN :argument IS NULL THEN 'CPU time' ELSE 'Now' END AS "-of"
FROM (SELECT *, CASE WHEN quantity LIKE '%_ns' THEN 'ns' WHEN quantity LIKE '%_bytes' THEN 'bytes' ELSE 'count' END AS unit
	FROM present_levels) l LEFT JOIN subject s USING (subject_id)
WHERE :argument IS NOT NULL OR l.subject_id = 0 OR l.quantity = 'cpu_ns' OR :machine
ORDER BY l.subject_id = 0 DESC, l.median DESC;

-- :table runs quiet rows=20 noun=run = Each run, the latest first
SELECT n.run AS "run!:~run/text", n.run_id AS ".run_id", n.version AS ".version", n."commit" AS ".commit",
	replace(substr(n.started_utc, 1, 16), 'T', ' ') AS "started (UTC)!:~started", n.started_utc AS ".started_utc",
	m.calls AS "calls!:calls", m.cpu_ns AS "CPU!:cpu_ns", m.error_ns AS ".error_ns", m.total_ns AS "total!:total_ns",
	IFNULL(b.blocked_ns, 0) AS "blocked:?blocked_ns", IFNULL(b.alloc_count, 0) AS "allocs:?alloc_count",
	IFNULL(b.alloc_bytes, 0) AS "bytes:?alloc_bytes"
FROM named_runs n CROSS JOIN measured m ON m.run_id = n.run_id AND m.subject_id = (SELECT MAX(subject_id) FROM present_levels)
LEFT JOIN besides b ON b.run_id = m.run_id AND b.subject_id = m.subject_id
WHERE :argument IS NOT NULL ORDER BY n.place DESC;
