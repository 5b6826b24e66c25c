-- SPDX-License-Identifier: MIT
-- :report leaks: what was live at exit, by allocation site
-- :takes run limit sort filter thread suppressions
-- :example prof-analyze leaks run.db --ignore cache_init
-- :about
-- Blocks that were allocated in the run and not freed by its end, by source line and call path.
-- Not everything here is a leak. With five or more snapshots of a process: which sites grow,
-- saturate (a cache that fills up), made one step or were freed at the end, by Theil-Sen slope
-- and Mann-Kendall test at 5 %. --suppressions takes LeakSanitizer's files: leak:PATTERN leaves
-- out what matches the name, file or library of a function on the call path, and counts it.
-- --focus and --ignore look at every function of the call path.

-- :include sites

-- :keep suppressed
SELECT * FROM (SELECT ".site_id" AS site_id, "live!:live_bytes" AS live_bytes,
	"blocks:live_count" AS live_count, suppression(".path_id", ".file/place") AS number
	FROM sites WHERE :has_suppressions AND "blocks:live_count" > 0) WHERE number IS NOT NULL;

-- :keep leaked
SELECT * FROM sites WHERE "blocks:live_count" > 0
	AND ".site_id" NOT IN (SELECT site_id FROM suppressed);

-- :values leaks = {title}
SELECT CASE WHEN :is_live THEN 'Live now' ELSE 'Live at exit' END AS "-title/text",
	:live_bytes AS ".live_bytes_at_exit", IFNULL(SUM("live!:live_bytes"), 0) AS ".live_bytes",
	IFNULL(SUM("blocks:live_count"), 0) AS ".live_count", COUNT(*) AS "-site_count",
	CASE WHEN :alloc_bytes > 0 THEN 100.0 * SUM("live!:live_bytes") / :alloc_bytes ELSE 0.0 END
	AS "-share_percent",
	CASE WHEN SUM("blocks:live_count") > 0 THEN '{live_bytes} in {live_count block} from
	{site_count site}, {share_percent} of all bytes allocated'
	WHEN EXISTS (SELECT 1 FROM suppressed) THEN 'nothing that is not suppressed'
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

-- Snapshots know processes, not threads.
-- :code growth
SELECT EXISTS (SELECT 1 FROM leaked) AS "has_leaked/flag" WHERE :thread IS NULL;

-- :note not_all_leaks
SELECT 'Live at exit is not necessarily a leak: caches, tables built once and whatever main()
	still held are here too. Growth between equal moments is the better witness.' AS text
WHERE NOT :live_pid AND EXISTS (SELECT 1 FROM leaked);

-- :note process_end warning
SELECT 'Process {pid} ' || CASE WHEN exit_signal <> 0 THEN 'was killed by {signal}'
	ELSE 'did not end by itself' END || ' and could not free its {live_bytes}.' AS text,
	pid, signal_name(exit_signal) AS signal, live_bytes_at_exit AS live_bytes
FROM processes WHERE run_id = :run AND complete = 0 AND live_bytes_at_exit > 0
	AND NOT :live_pid
ORDER BY started_ns, process_id;
