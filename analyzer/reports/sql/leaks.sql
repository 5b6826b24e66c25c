-- SPDX-License-Identifier: MIT
-- :report leaks: memory live at exit, by allocation site
-- :takes run limit sort filter thread suppressions
-- :example prof-analyze leaks run.db --ignore cache_init
-- :about
-- Blocks that were allocated in the run and not freed by its end, by function and source
-- line; allocator wrappers such as xmalloc() are passed over, and the first rows show the
-- call path that left the most. Not everything here is a leak. With five or more snapshots
-- of a process it shows which sites grow, saturate (a cache that fills up), grew once or
-- were freed at the end, by Theil-Sen slope and Mann-Kendall test at 5 %. --suppressions
-- takes LeakSanitizer's files: leak:PATTERN leaves out what matches the name, file or
-- library of a function on the call path, and counts it. --focus and --ignore look at every
-- function of the call path.

-- :include each_site

-- :keep suppressed
SELECT * FROM (SELECT site_id, live_bytes, live_count, suppression(path_id, file) AS number
	FROM each_site WHERE :has_suppressions AND live_count > 0) WHERE number IS NOT NULL;

-- :with weighed
SELECT *, live_bytes AS weight FROM each_site WHERE live_count > 0
	AND site_id NOT IN (SELECT site_id FROM suppressed);

-- :include sites

-- :keep leaked
SELECT * FROM sites;

-- :values leaks = {title}
SELECT CASE WHEN :is_live THEN 'Live now' ELSE 'Live at exit' END AS "-title/text",
	:live_bytes AS ".live_bytes_at_exit", IFNULL(SUM("{end}!:live_bytes"), 0) AS ".live_bytes",
	IFNULL(SUM("blocks:live_count"), 0) AS ".live_count", COUNT(*) AS "-site_count",
	CASE WHEN :alloc_bytes > 0 THEN 100.0 * SUM("{end}!:live_bytes") / :alloc_bytes ELSE 0.0 END
	AS "-share_percent",
	CASE WHEN SUM("blocks:live_count") > 0 THEN '{live_bytes} in {live_count block} from
	{site_count site}, {share_percent} of all bytes allocated'
	WHEN EXISTS (SELECT 1 FROM suppressed) THEN 'nothing but what is suppressed'
	ELSE 'nothing: everything that was allocated was freed' END AS "live:~live"
FROM leaked;

-- :table allocation_sites main sort quiet by=live_bytes,name rows=20 details=10 noun=site weight=live_bytes,the_live_bytes
-- :show live_percent live_bytes live_count alloc_count owner path
SELECT * FROM leaked;

-- :table suppressed optional whole = Suppressed
WITH RECURSIVE numbers(number) AS (SELECT 0 WHERE :has_suppressions AND pattern(0) IS NOT NULL
	UNION ALL SELECT number + 1 FROM numbers WHERE pattern(number + 1) IS NOT NULL)
SELECT IFNULL(SUM(live_bytes), 0) AS "live!:live_bytes",
	IFNULL(SUM(live_count), 0) AS "blocks!:live_count", COUNT(site_id) AS "sites!:site_count",
	pattern(number) AS "pattern!:pattern/any"
FROM numbers LEFT JOIN suppressed USING (number) GROUP BY number ORDER BY 1 DESC, number;

-- :include thread_sites

-- :nothing

-- Snapshots know processes, not threads. At most 64 are used, evenly spaced: the work for a site
-- grows with their square.
-- :keep points
WITH RECURSIVE shots AS (SELECT process_id, snapshot_id, time_ns / 1e9 AS seconds,
		ROW_NUMBER() OVER (PARTITION BY process_id ORDER BY snapshot_id) - 1 AS place,
		COUNT(*) OVER (PARTITION BY process_id) AS count
	FROM snapshots WHERE run_id = :run AND :thread IS NULL),
numbers AS (SELECT 0 AS number UNION ALL SELECT number + 1 FROM numbers WHERE number < 63)
SELECT process_id, snapshot_id, seconds, number, count FROM shots
JOIN numbers ON place = number * (count - 1) / (MIN(count, 64) - 1)
WHERE count >= 5 AND number < MIN(count, 64);

-- What each site had at each snapshot of a process. Must not call a trend a leak.
-- :keep grown
WITH seen AS (SELECT DISTINCT n.process_id, n.site_id, s.path_id
	FROM snapshot_site n JOIN site s USING (site_id)
	WHERE n.process_id IN (SELECT process_id FROM points) AND is_chosen(s.path_id)
		AND NOT (:has_suppressions AND suppression(s.path_id, s.file) IS NOT NULL)),
freed AS (SELECT process_id, site_id, SUM(free_bytes) AS bytes
	FROM (SELECT process_id, MAX(snapshot_id) AS last_id FROM points GROUP BY 1)
	JOIN snapshot_free USING (process_id) WHERE freed_id >= last_id GROUP BY 1, 2),
course AS (SELECT s.*, p.number, p.seconds, IFNULL((SELECT n.live_bytes FROM snapshot_site n
		WHERE n.process_id = s.process_id AND n.site_id = s.site_id
			AND n.snapshot_id <= p.snapshot_id AND n.until_id > p.snapshot_id), 0) AS bytes
	FROM seen s JOIN points p USING (process_id))
SELECT c.process_id, site_id, path_id, MAX(number), c.bytes AS live_bytes,
	c.bytes - SUM(CASE number WHEN 0 THEN c.bytes END) AS growth_bytes,
	growth(seconds, c.bytes, IFNULL(f.bytes, 0)) AS course
FROM course c LEFT JOIN freed f USING (process_id, site_id) GROUP BY c.process_id, site_id;

-- :table growth quiet rows=20 details=5 noun=site = Growth over {over}
SELECT class AS "growth!:class/text", growth_bytes AS "+live!:growth_bytes/bytes_change",
	CAST(course ->> 1 AS REAL) AS "per s!:bytes_per_second/bytes_change",
	g.live_bytes AS "live:live_bytes", CAST(course ->> 2 AS REAL) AS ".p/any", pid AS ".pid",
	CASE WHEN processes > 1 THEN pid END AS "pid:~?of_pid",
	e.owner AS "function!:owner/name", asked_file AS "where!:~where/place", e.name AS ".name",
	asked_file AS ".file/place", g.path_id AS "path:>&path", g.path_id AS ".path_id",
	site_id AS ".site_id", line_of AS ".line_of", asked_line AS "-line/id", CASE WHEN processes = 1
	THEN most || ' snapshots' ELSE 'the snapshots of ' || processes || ' processes' END
	AS "-over"
FROM (SELECT *, course ->> 0 AS class FROM grown) g JOIN each_site e USING (site_id)
JOIN processes USING (process_id), (SELECT COUNT(DISTINCT process_id) AS processes,
	MAX(count) AS most FROM points)
WHERE class <> 'no trend'
ORDER BY CASE class WHEN 'growing' THEN 0 WHEN 'saturating' THEN 1 WHEN 'one-off' THEN 2 ELSE 3 END,
	growth_bytes DESC, site_id;

-- :note growth_sites
SELECT 'Of {site_count site} at the snapshots: {growing} growing, {saturating} saturating, {one_off}
	one-off, {freed} freed at end; the others show no trend.' AS text, COUNT(*) AS site_count,
	TOTAL(course ->> 0 = 'growing') AS "growing/count",
	TOTAL(course ->> 0 = 'saturating') AS "saturating/count",
	TOTAL(course ->> 0 = 'one-off') AS "one_off/count",
	TOTAL(course ->> 0 = 'freed at end') AS "freed/count"
FROM grown HAVING COUNT(*) > 0;

-- :note few_snapshots
SELECT 'Growth over time needs five snapshots of a process; this run has {most_of}.' AS
	text, 'PROFSHIM_SNAPSHOT_EVERY=2s takes them while the program runs.' AS advice,
	most AS "most/count", CASE WHEN most > 0 THEN CAST(most AS TEXT) ELSE 'none' END AS most_of
FROM (SELECT IFNULL(MAX(count), 0) AS most FROM (SELECT COUNT(*) AS count FROM snapshots
	WHERE run_id = :run GROUP BY process_id))
WHERE :thread IS NULL AND most < 5 AND EXISTS (SELECT 1 FROM leaked);

-- :note not_all_leaks
SELECT 'Live at exit is not necessarily a leak: caches, tables built once and
	whatever main() still held are here too. Growth between comparable moments
	says more.' AS text
WHERE NOT :live_pid AND EXISTS (SELECT 1 FROM leaked);

-- :note process_end warning
SELECT 'Process {pid} ' || CASE WHEN exit_signal <> 0 THEN 'was killed by {signal}'
	ELSE 'did not end by itself' END || ' and could not free its {live_bytes}.' AS text,
	pid, signal_name(exit_signal) AS signal, live_bytes_at_exit AS live_bytes
FROM processes WHERE run_id = :run AND complete = 0 AND live_bytes_at_exit > 0
	AND NOT :live_pid
ORDER BY started_ns, process_id;
