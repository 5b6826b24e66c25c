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
-- With FUNC, of one function: its course, and each run.

-- :note no_runs empty stop
SELECT 'The archive holds no run' || CASE WHEN EXISTS (SELECT 1 FROM wanted_tags) THEN ' with these tags.'
	ELSE '.' END AS text, 'prof-analyze archive add puts recordings into it.' AS advice
WHERE NOT EXISTS (SELECT 1 FROM chosen_runs);

-- :keep newest
SELECT *, (SELECT COUNT(*) FROM chosen_runs) AS runs, (SELECT COUNT(*) FROM archived) AS all_runs,
	(SELECT MIN(started_utc) FROM chosen_runs) AS first_utc,
	(SELECT TOTAL(cpu_ns) FROM (SELECT IFNULL(self_cpu_ns, self_ns) AS cpu_ns FROM chosen_runs))
	/ MAX(1, (SELECT COUNT(*) FROM chosen_runs)) AS cpu_ns
FROM chosen_runs ORDER BY place DESC LIMIT 1;

-- :values compared machine
SELECT runs AS ".run_count", all_runs AS ".archived_run_count", workload AS ".workload",
	host AS ".host", level AS ".level", first_utc AS ".first_utc", started_utc AS ".latest_utc",
	small AS ".small_function_count", otherwise AS ".left_out_time_count" FROM newest JOIN not_compared;

-- :note runs human
SELECT counted('run', runs) || ' of ' || workload || ' on ' || host || ', level ' || level || ', '
	|| substr(first_utc, 1, 10) || CASE WHEN substr(started_utc, 1, 10) <> substr(first_utc, 1, 10)
	THEN ' to ' || substr(started_utc, 1, 10) ELSE '' END || '.' AS text,
	CASE WHEN all_runs > runs THEN counted('other run', all_runs - runs)
	|| ' of the archive cannot be compared with these: other workload, host or level; --tag chooses.' END AS advice
FROM newest;

-- :note otherwise human
SELECT counted('time', otherwise) || ' of functions left out: in other runs they were only counted, or were timed.' AS text
FROM not_compared WHERE otherwise;

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
