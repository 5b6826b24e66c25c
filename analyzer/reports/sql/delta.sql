-- SPDX-License-Identifier: MIT
-- :report delta: the snapshots, or what changed between two of them
-- :takes run limit sort filter delta inlined process by maybe
-- :argument [A] [B]
-- :by path function line component source namespace
-- :example prof-analyze delta run.db loaded done --by function
-- :about
-- Without A it lists the snapshots of the run in order: live memory at each, and its growth
-- since the one before (for the first: since the start). Without B it compares A with the
-- exit. A and B are moments of one process: a snapshot's label (LABEL#2: the second of that
-- label), its number, 'start', 'peak' or 'exit' ('now' while the run goes on). Sizes and
-- blocks are what was live at B, with the change since A; the average is per block.
-- Allocated and freed cover what happened in between; survived are the blocks allocated
-- between A and B that are still live at the exit, or at C with --until C. --by sums up by
-- call path and line, function, source line, or component (by module and region, source or
-- namespace, as in 'components'). With --limit the rest is one row, so that the rows add up
-- to the total. --focus and --ignore look at every function of the call path.

-- :keep taken
SELECT s.*, p.pid, DENSE_RANK() OVER (ORDER BY p.started_ns, s.process_id) AS place,
	ROW_NUMBER() OVER (PARTITION BY s.process_id ORDER BY s.snapshot_id) AS turn,
	COUNT(*) OVER (PARTITION BY s.process_id) AS turns,
	s.live_bytes - LAG(s.live_bytes, 1, 0)
		OVER (PARTITION BY s.process_id ORDER BY s.snapshot_id) AS live_delta_bytes,
	s.live_count - LAG(s.live_count, 1, 0)
		OVER (PARTITION BY s.process_id ORDER BY s.snapshot_id) AS live_delta_count
FROM snapshots s JOIN processes p USING (process_id)
WHERE :argument IS NULL AND s.run_id = :run AND (NOT :process OR s.process_id = :process);

-- :note no_snapshots warning empty
SELECT 'The run has no snapshots.' AS text,
	'PROFSHIM_SNAPSHOT_EVERY=2s takes them while the program runs,
	profshim_snapshot("label") of profshim.h where it says so.' AS advice
WHERE :argument IS NULL AND NOT EXISTS (SELECT 1 FROM taken);

-- Live bytes at each moment, from the latest snapshot by then; nothing before the first snapshot
-- and after the last. If two share a column the higher one shows.
-- :plots live_plot points=60
WITH RECURSIVE span AS (SELECT MAX(time_ns) AS span_ns FROM taken),
binned AS (SELECT place, MAX(0, MIN(59, CAST(time_ns * 60.0 / span_ns AS INTEGER))) AS point,
	MAX(live_bytes) AS high, MAX(turn) AS turn
	FROM taken JOIN span WHERE turns > 1 AND span_ns > 0 GROUP BY place, point),
held AS (SELECT b.place, b.point, b.high, t.live_bytes AS last,
	LEAD(b.point, 1, b.point + 1) OVER (PARTITION BY b.place ORDER BY b.point) AS until
	FROM binned b JOIN taken t USING (place, turn)),
drawn AS (SELECT place, point, high AS value, last, until FROM held
	UNION ALL SELECT place, point + 1, last, last, until FROM drawn WHERE point + 1 < until)
SELECT d.place AS "plot/id", d.point AS "point/id", d.value AS "value/any",
	CASE WHEN (SELECT COUNT(DISTINCT place) FROM taken) > 1
	THEN (SELECT pid FROM taken t WHERE t.place = d.place) || '' ELSE 'live' END AS title,
	'bytes' AS unit, (SELECT MAX(live_bytes) FROM taken t WHERE t.place = d.place)
	AS "peak/any", span_ns
FROM drawn d JOIN span
WHERE d.place IN (SELECT DISTINCT place FROM held ORDER BY place LIMIT 8)
ORDER BY d.place, d.point;

-- :table snapshots main sort optional noun=snapshot = Snapshots
SELECT CASE WHEN (SELECT COUNT(DISTINCT place) FROM taken) > 1 THEN pid END
	AS "PID!:?~process/id", pid AS ".pid", number AS "no.!:number/id",
	label AS "label!:label",
	taken_by AS "taken by:taken_by", time_ns AS "time!:time_ns",
	live_bytes AS "live!:live_bytes", live_delta_bytes AS "+live!:live_delta_bytes/bytes_change",
	live_count AS "blocks!:live_count",
	live_delta_count AS "+blocks:live_delta_count/count_change", rss_bytes AS "RSS:rss_bytes",
	alloc_count AS ".alloc_count", alloc_bytes AS ".alloc_bytes",
	process_id AS ".process_id", snapshot_id AS ".snapshot_id"
FROM taken ORDER BY place, turn;

-- :note growth
SELECT '''prof-analyze leaks'' shows which sites grew from one to the next.' AS text
WHERE EXISTS (SELECT 1 FROM taken WHERE turns >= 5);

-- :end
SELECT 1 WHERE :argument IS NULL;

-- Makes the tables moments_between and sites_between, and the call tree of the time between.
-- :code moments

-- At a peak only live memory is known.
-- :keep asked
SELECT process_id, pid, process_count, :live_pid <> 0 AS is_live,
	(SELECT SUM(kind = 'peak') FROM moments_between) = 0 AS has_between,
	(SELECT CAST(TOTAL(value) AS INTEGER) FROM trust WHERE run_id = :run
		AND name = 'counted_calls') AS counted_calls
FROM moments_between LIMIT 1;

-- The moments in words.
-- :keep told
SELECT place, kind, CASE WHEN kind = 'exit' AND is_live THEN 'now' ELSE label END AS label,
	CASE WHEN kind = 'snapshot' THEN id END AS snapshot_id,
	CASE kind WHEN 'snapshot' THEN '''' || label || ''' (number ' || number || ', at '
	|| people('time_ns', time_ns) || ')' WHEN 'exit' THEN IIF(is_live, 'now', 'the exit')
	ELSE 'the ' || kind END AS text
FROM moments_between JOIN asked;

-- :include each_site

-- :keep sites
SELECT s.*, s.alloc_count - (s.live_count - a_live_count) AS free_count,
	s.alloc_bytes - (s.live_bytes - a_live_bytes) AS free_bytes, t.name, t.component,
	e.owner, asked_file AS place, asked_line AS place_line, e.line_of
FROM sites_between s JOIN each_site e USING (site_id) LEFT JOIN tree t ON t.path_id = s.path_id;

-- One site, or several that are summed: the first one gives the names.
-- :keep sums
SELECT site_id AS first_id, path_id, IFNULL(name, '?') AS name, owner, place,
	place_line, line_of, IFNULL(component, '(not known)') AS component,
	live_bytes, live_count, live_bytes - a_live_bytes AS live_delta_bytes,
	live_count - a_live_count AS live_delta_count, alloc_bytes, alloc_count, free_bytes,
	free_count, survived_bytes, survived_count
FROM (SELECT MIN(site_id) AS site_id, path_id, name, owner, place, place_line,
	line_of, component, SUM(live_bytes) AS live_bytes, SUM(live_count) AS live_count,
	SUM(a_live_bytes) AS a_live_bytes, SUM(a_live_count) AS a_live_count,
	SUM(alloc_bytes) AS alloc_bytes, SUM(alloc_count) AS alloc_count,
	SUM(free_bytes) AS free_bytes, SUM(free_count) AS free_count,
	SUM(survived_bytes) AS survived_bytes, SUM(survived_count) AS survived_count
	FROM sites GROUP BY CASE IFNULL(:by, 'path') WHEN 'path' THEN site_id
	WHEN 'function' THEN owner WHEN 'line' THEN IFNULL(place, '')
	ELSE IFNULL(component, '(not known)') END,
	CASE WHEN :by = 'line' THEN place_line END, CASE WHEN :by = 'line' THEN line_of END);

-- People do not see unchanged rows, machines not those without allocations either; the rest row
-- sums up what is left out.
-- :keep kept
SELECT *, live_delta_bytes <> 0 OR live_delta_count <> 0 OR :machine AND has_between
	AND (alloc_count <> 0 OR alloc_bytes <> 0) AS is_changed
FROM sums JOIN asked;

-- :keep numbers
SELECT first_id AS "-first_id/any", live_bytes AS "size!:live_bytes",
	live_delta_bytes AS "+size!:live_delta_bytes/bytes_change",
	live_count AS "blocks!:live_count",
	live_delta_count AS "+blocks!:live_delta_count/count_change",
	CASE WHEN live_count > 0 THEN live_bytes / live_count END AS "average:average_bytes",
	IIF(has_between, alloc_bytes, NULL) AS "allocated!:.alloc_bytes",
	IIF(has_between, alloc_count, NULL) AS "allocs:.alloc_count",
	IIF(has_between, free_bytes, NULL) AS "freed!:.free_bytes",
	IIF(has_between, free_count, NULL) AS "frees:.free_count",
	IIF(has_between, survived_bytes, NULL) AS "survived!:.survived_bytes",
	IIF(has_between, survived_count, NULL) AS "blocks!:.survived_count",
	label AS "-label/text", label IS NOT NULL AS "-is_last/flag"
FROM (SELECT *, NULL AS label FROM kept WHERE is_changed
UNION ALL SELECT * FROM (SELECT NULL AS first_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
	SUM(live_bytes), SUM(live_count), SUM(live_delta_bytes), SUM(live_delta_count),
	SUM(alloc_bytes), SUM(alloc_count), SUM(free_bytes), SUM(free_count),
	SUM(survived_bytes), SUM(survived_count), process_id, pid, process_count, is_live,
	has_between, counted_calls, 0, '(' || COUNT(*) || ' unchanged)'
	FROM kept WHERE NOT is_changed AND (live_count <> 0 OR live_bytes <> 0)
	HAVING COUNT(*) > 0))
ORDER BY label IS NOT NULL, ABS(live_delta_bytes) DESC, ABS(live_delta_count) DESC,
	ABS(alloc_bytes) DESC, first_id;

-- :keep spent
SELECT CAST(TOTAL(calls) AS INTEGER) AS calls, CAST(TOTAL(self_ns) AS INTEGER) AS self_ns,
	CAST(TOTAL(self_ready_ns) AS INTEGER) AS self_ready_ns,
	CAST(TOTAL(self_blocked_ns) AS INTEGER) AS self_blocked_ns,
	-- An error of one path mostly applies to the next one, too.
	CAST(MIN(TOTAL(self_error_ns), (SELECT TOTAL(total_error_ns) FROM tree WHERE depth = 1))
	AS INTEGER) AS self_error_ns
FROM tree WHERE is_chosen(path_id);

-- :values delta = Delta
WITH total AS (SELECT IFNULL(SUM(live_bytes - live_delta_bytes), 0) AS live_a_bytes,
	IFNULL(SUM(live_count - live_delta_count), 0) AS live_a_count,
	IFNULL(SUM(live_bytes), 0) AS live_bytes, IFNULL(SUM(live_count), 0) AS live_count,
	IFNULL(SUM(live_delta_bytes), 0) AS live_delta_bytes,
	IFNULL(SUM(live_delta_count), 0) AS live_delta_count,
	IFNULL(SUM(alloc_bytes), 0) AS alloc_bytes, IFNULL(SUM(alloc_count), 0) AS alloc_count,
	IFNULL(SUM(free_bytes), 0) AS free_bytes, IFNULL(SUM(free_count), 0) AS free_count,
	IFNULL(SUM(survived_bytes), 0) AS survived_bytes,
	IFNULL(SUM(survived_count), 0) AS survived_count FROM sums)
SELECT a.label AS ".a", a.snapshot_id AS ".a_snapshot_id", b.label AS ".b",
	b.snapshot_id AS ".b_snapshot_id", c.label AS ".until",
	c.snapshot_id AS ".until_snapshot_id", pid AS ".pid", process_id AS ".process_id",
	live_a_bytes AS ".live_a_bytes", live_a_count AS ".live_a_count",
	live_bytes AS ".live_bytes", live_count AS ".live_count",
	live_delta_bytes AS ".live_delta_bytes", live_delta_count AS ".live_delta_count",
	IIF(has_between, alloc_bytes, NULL) AS ".alloc_bytes",
	IIF(has_between, alloc_count, NULL) AS ".alloc_count",
	IIF(has_between, free_bytes, NULL) AS ".free_bytes",
	IIF(has_between, free_count, NULL) AS ".free_count",
	IIF(has_between, survived_bytes, NULL) AS ".survived_bytes",
	IIF(has_between, survived_count, NULL) AS ".survived_count",
	a.text AS "-a_text", b.text AS "-b_text", c.text AS "-c_text",
	IIF(process_count > 1, 'PID {pid}', NULL) AS "process:~process",
	'{a_text}: {live_a_bytes} in {live_a_count block} live' AS "from:~from",
	'{b_text}: {live_bytes} in {live_count block} live' AS "to:~to",
	IIF(live_delta_bytes > 0, '+', '') || '{live_delta_bytes}, '
	|| IIF(live_delta_count > 0, '+', '') || '{live_delta_count block}' AS "change:~change",
	IIF(has_between, '{alloc_bytes} in {alloc_count block} allocated, {free_bytes} in
	{free_count block} freed', NULL) AS "between:~between",
	IIF(has_between, 'of what was allocated, {survived_bytes} in {survived_count block} still
	live ' || IIF(c.kind = 'exit' AND is_live, '', 'at ') || '{c_text}', NULL)
	AS "survived:~survived",
	IIF(has_between AND (calls OR self_ns OR counted_calls),
	'{calls call}, {self_ns} in instrumented functions'
	|| IIF(self_ready_ns > 0 OR self_blocked_ns > 0,
	', of which CPU wait {self_ready_ns}, blocked {self_blocked_ns}', '')
	-- When calls that were only counted took place is not known; by the exit all have.
	|| IIF(counted_calls, ', ' || IIF(b.kind = 'exit', 'with', 'without')
	|| ' {counted_calls call} of the whole run that were only counted', ''), NULL)
	AS "calls:~spent",
	IIF(has_between, calls, NULL) AS ".?calls/count",
	IIF(has_between, counted_calls, NULL) AS ".?counted_calls/count",
	IIF(has_between, self_ns, NULL) AS ".?self_ns/ns",
	IIF(has_between, self_error_ns, NULL) AS ".?self_error_ns/ns",
	IIF(has_between, self_ns - self_ready_ns - self_blocked_ns, NULL)
	AS ".?self_cpu_ns/ns", IIF(has_between, self_ready_ns, NULL) AS ".?self_ready_ns/ns",
	IIF(has_between, self_blocked_ns, NULL) AS ".?self_blocked_ns/ns"
FROM total JOIN asked JOIN spent JOIN told a ON a.place = 'a' JOIN told b ON b.place = 'b'
	JOIN told c ON c.place = 'c';

-- :note no_change
SELECT 'No live memory came or went between them.' AS text
WHERE NOT EXISTS (SELECT 1 FROM numbers WHERE NOT "-is_last/flag");

-- :table changes main sort quiet for_by=path rows=20 details=10 noun=site rest=owner mean=average_bytes,live_bytes,live_count = What changed, by call path
SELECT n.*, IFNULL("-label/text", owner) AS "function!:owner/name",
	place AS "where!:~where/place", name AS ".name", place AS ".file/place",
	path_id AS "path:>&path", path_id AS ".path_id", first_id AS ".site_id",
	line_of AS ".line_of", place_line AS "-line/id"
FROM numbers n LEFT JOIN sums ON first_id = "-first_id/any";

-- :table changes main sort quiet for_by=function rows=20 noun=function rest=name mean=average_bytes,live_bytes,live_count = What changed, by function
SELECT n.*, IFNULL("-label/text", owner) AS "function!:name",
	asker(path_id, 'file') AS "where:file/place",
	asker(path_id, 'function_id') AS ".function_id", asker(path_id, 'line') AS "-line/id"
FROM numbers n LEFT JOIN sums ON first_id = "-first_id/any";

-- :table changes main sort quiet for_by=line rows=20 noun=line rest=file mean=average_bytes,live_bytes,live_count = What changed, by source line
SELECT n.*, COALESCE("-label/text", place, '(no line known)') AS "where!:file/place",
	line_of AS ".line_of", place_line AS "-line/id"
FROM numbers n LEFT JOIN sums ON first_id = "-first_id/any";

-- :table changes main sort quiet for_by=component,source,namespace rows=20 noun=component rest=component mean=average_bytes,live_bytes,live_count = What changed, by component
SELECT n.*, IFNULL("-label/text", component) AS "component!:component"
FROM numbers n LEFT JOIN sums ON first_id = "-first_id/any";

-- :table between human optional by=survived_bytes,alloc_bytes rows=10 noun={noun} weight=survived_bytes,the_survivors = Allocated in between, by survivors
SELECT alloc_bytes AS "allocated!:alloc_bytes", free_bytes AS "freed!:free_bytes",
	survived_bytes AS "survived!:survived_bytes", survived_count AS "blocks!:survived_count",
	CASE IFNULL(:by, 'path') WHEN 'path' THEN owner WHEN 'function' THEN owner END
	AS "function!:name", CASE :by WHEN 'line' THEN NULL WHEN 'function'
	THEN asker(path_id, 'file') ELSE place END AS "where:where/place",
	IFNULL(place, '(no line known)') AS "where!:file/place", component AS "component!:component",
	CASE :by WHEN 'function' THEN asker(path_id, 'line') ELSE place_line END AS "-line/id",
	CASE WHEN IFNULL(:by, '') <> 'function' THEN line_of END AS "-line_of",
	CASE IFNULL(:by, 'path') WHEN 'path' THEN 'site' WHEN 'function' THEN 'function'
	WHEN 'line' THEN 'line' ELSE 'component' END AS "-noun/text",
	'alloc_bytes free_bytes survived_bytes survived_count ' || CASE IFNULL(:by, 'path')
	WHEN 'path' THEN 'name where' WHEN 'function' THEN 'name where' WHEN 'line' THEN 'file'
	ELSE 'component' END AS "-shown/text"
FROM kept WHERE has_between AND NOT :machine
	AND (alloc_count <> 0 OR alloc_bytes <> 0 OR free_count <> 0)
ORDER BY ABS(live_delta_bytes) DESC, ABS(live_delta_count) DESC, ABS(alloc_bytes) DESC, first_id;

-- :code profile

-- :note peak_has_no_time
SELECT 'At the peak only live memory is known, not what was allocated, freed or called
	before it.' AS text FROM asked WHERE NOT has_between;

-- :end
SELECT 1 FROM asked WHERE NOT has_between;

-- Source lines have no calls of their own, so their functions are shown. Inlined copies have
-- calls but no time.
-- :keep stretches
WITH own AS (SELECT *, CASE IFNULL(:by, 'path') WHEN 'path' THEN path_id WHEN 'function'
	THEN function_id WHEN 'line' THEN function_id ELSE component END AS key,
	CASE IFNULL(:by, 'path') WHEN 'path' THEN NOT is_folded WHEN 'function' THEN is_outermost
	WHEN 'line' THEN is_outermost ELSE is_outermost_component END AS is_top
	FROM tree WHERE is_chosen(path_id))
SELECT path_id, function_id, name, component, SUM(self_ns) AS self_ns,
	SUM(is_top * total_ns) AS total_ns, SUM(calls) AS calls,
	SUM(calls * (NOT is_folded)) AS timed_calls, SUM(self_error_ns) AS self_error_ns,
	SUM(is_top * total_error_ns) AS total_error_ns, SUM(self_cpu_ns) AS self_cpu_ns,
	SUM(self_ready_ns) AS self_ready_ns, SUM(self_blocked_ns) AS self_blocked_ns,
	SUM(is_top * cpu_ns) AS cpu_ns, SUM(is_top * ready_ns) AS ready_ns,
	SUM(is_top * blocked_ns) AS blocked_ns, SUM(unwound_count) AS unwound_count
FROM own WHERE key IS NOT NULL AND NOT (is_folded AND IFNULL(:by, 'path') = 'path')
GROUP BY key HAVING SUM(calls) <> 0 OR SUM(self_ns) <> 0 OR SUM(is_top * total_ns) <> 0;

-- :keep times
SELECT IIF(all_ns > 0, 100.0 * self_ns / all_ns, 0.0) AS "self %:self_percent",
	self_ns AS "self!:self_ns", total_ns AS "total!:total_ns", calls AS "calls!:calls",
	CASE WHEN timed_calls > 0 AND (NOT total_error_ns > 0 OR ABS(total_ns) > total_error_ns)
	THEN total_ns / timed_calls END AS "average:average_ns",
	IIF(all_ns > 0, 100.0 * self_error_ns / all_ns, 0.0) AS ".self_error_percent",
	self_error_ns AS ".self_error_ns", total_error_ns AS ".total_error_ns",
	self_cpu_ns AS ".self_cpu_ns", self_ready_ns, self_blocked_ns, cpu_ns AS ".cpu_ns",
	ready_ns AS ".ready_ns", blocked_ns AS ".blocked_ns", unwound_count,
	path_id AS "-of_path/any", function_id AS "-of_function/any", name AS "-of_name/text",
	component AS "-of_component/text"
FROM stretches JOIN (SELECT 1.0 * SUM(self_ns) AS all_ns FROM tree);

-- :table times quiet for_by=path rows=10 by=self_ns,name noun=path weight=self_ns,the_self_time = Time in between, by call path
SELECT *, "-of_name/text" AS "function!:name", "-of_path/any" AS "path:>path",
	"-of_path/any" AS ".path_id" FROM times
ORDER BY "-of_path/any";

-- :table times quiet for_by=function,line rows=10 by=self_ns,name noun=function weight=self_ns,the_self_time = Time in between, by function
SELECT *, "-of_name/text" AS "function!:name", "-of_function/any" AS ".function_id" FROM times
ORDER BY "-of_function/any";

-- :table times quiet for_by=component,source,namespace rows=10 by=self_ns,component noun=component weight=self_ns,the_self_time = Time in between, by component
SELECT *, "-of_component/text" AS "component!:component" FROM times;

-- Only if times are shown.
-- :code left_out
SELECT 1 FROM stretches LIMIT 1;

-- Numbers that no program can have.
-- :note books warning
SELECT 'The numbers do not add up at {count site}: events were lost between the snapshots.'
	AS text, SUM(alloc_count < 0 OR alloc_bytes < 0 OR free_count < 0 OR free_bytes < 0
	OR survived_count < 0 OR survived_bytes < 0 OR survived_count > alloc_count
	OR survived_bytes > alloc_bytes) AS count
FROM (SELECT *, alloc_count - (live_count - a_live_count) AS free_count,
	alloc_bytes - (live_bytes - a_live_bytes) AS free_bytes FROM sites_between)
HAVING count > 0;
