-- SPDX-License-Identifier: MIT
-- Allocation sites by function and line, summed over paths. The including table chooses which of
-- its columns people see. It must define `weighed`: the sites and their weights. Of a site's
-- paths the one with most weight is shown.
-- :part sites

-- :with sites
WITH ranked AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY owner, asked_file, asked_line, line_of
	ORDER BY weight DESC, site_id) AS number FROM weighed)
SELECT CASE WHEN :alloc_bytes > 0 THEN 100.0 * SUM(alloc_bytes) / :alloc_bytes ELSE 0.0 END
	AS "share:alloc_bytes_percent",
	SUM(alloc_bytes) AS "bytes!:alloc_bytes",
	CASE WHEN :peak_bytes > 0 THEN 100.0 * SUM(at_peak_bytes) / :peak_bytes ELSE 0.0 END
	AS "peak %:at_peak_percent",
	SUM(at_peak_bytes) AS "at peak:at_peak_bytes",
	SUM(at_peak_count) AS "blocks:.at_peak_count", MAX(peak_bytes) AS ".peak_bytes",
	CASE WHEN all_live_bytes > 0 THEN 100.0 * SUM(live_bytes) / all_live_bytes ELSE 0.0 END
	AS "live %:live_percent",
	IIF(:is_live, 'now', 'at exit') AS "-end/text",
	SUM(live_bytes) AS "{end}!:live_bytes", SUM(live_count) AS "blocks:live_count",
	SUM(alloc_count) AS "allocs:alloc_count",
	CASE WHEN SUM(alloc_count) > 0 THEN 100.0 * SUM(temporary_count) / SUM(alloc_count)
	ELSE 0.0 END AS "temp %:temporary_percent",
	SUM(temporary_count) AS ".temporary_count", SUM(free_count) AS ".free_count",
	SUM(free_bytes) AS ".free_bytes", SUM(realloc_count) AS ".realloc_count",
	SUM(realloc_copied_bytes) AS ".realloc_copied_bytes",
	SUM(cross_thread_free_count) AS ".cross_thread_free_count",
	MAX(largest_bytes) AS ".largest_bytes", owner AS "function!:owner/name",
	asked_file AS "where!:~where/place",
	MAX(CASE WHEN number = 1 THEN name END) AS ".name", asked_file AS ".file/place",
	MAX(CASE WHEN number = 1 THEN path_id END) AS "path:>&path",
	COUNT(*) AS "paths:path_count",
	MAX(CASE WHEN number = 1 THEN path_id END) AS ".path_id",
	MAX(CASE WHEN number = 1 THEN site_id END) AS ".site_id", line_of AS ".line_of",
	asked_line AS "-line/id"
FROM ranked, (SELECT SUM(live_bytes) AS all_live_bytes FROM allocation_sites
	WHERE run_id = :run)
GROUP BY owner, asked_file, asked_line, line_of;
