-- SPDX-License-Identifier: MIT
-- Allocation sites, with the function that led to each: the innermost one that is no library's.
-- Where its line is not known that function's definition stands for it. The columns are those
-- of a table; which of them people see the table says.
-- :part sites

-- Of a thread the sites that it allocated at; a run with one lane has no path_lane.
-- :with sites
WITH own AS (SELECT *, owner(path_id, 'name') AS owner, owner(path_id, 'file') AS owner_file
	FROM allocation_sites s WHERE run_id = :run AND is_chosen(path_id)
	AND (:thread IS NULL OR EXISTS (SELECT 1 FROM path_lane l JOIN thread t USING (lane_id)
		WHERE l.path_id = s.path_id AND l.alloc_count > 0
		AND (t.name = :thread OR CAST(t.tid AS TEXT) = :thread))
		OR (SELECT COUNT(*) FROM lane WHERE run_id = :run) <= 1
		AND (SELECT alloc_count FROM path p WHERE p.path_id = s.path_id) > 0))
SELECT CASE WHEN all_live_bytes > 0 THEN 100.0 * live_bytes / all_live_bytes ELSE 0.0 END
	 AS "live %:live_percent",
	live_bytes AS "live!:live_bytes", live_count AS "blocks:live_count",
	CASE WHEN :alloc_bytes > 0 THEN 100.0 * alloc_bytes / :alloc_bytes ELSE 0.0 END
	AS "bytes %:alloc_bytes_percent",
	alloc_bytes AS "bytes!:alloc_bytes", alloc_count AS "allocs:alloc_count",
	CASE WHEN :peak_bytes > 0 THEN 100.0 * at_peak_bytes / :peak_bytes ELSE 0.0 END
	AS "peak %:at_peak_percent",
	at_peak_bytes AS "at peak:at_peak_bytes", at_peak_count AS "blocks:.at_peak_count",
	peak_bytes AS ".peak_bytes",
	CASE WHEN alloc_count > 0 THEN 100.0 * temporary_count / alloc_count ELSE 0.0 END
	AS "temp %:temporary_percent",
	temporary_count AS ".temporary_count", free_count AS ".free_count",
	free_bytes AS ".free_bytes", realloc_count AS ".realloc_count",
	realloc_copied_bytes AS ".realloc_copied_bytes",
	cross_thread_free_count AS ".cross_thread_free_count", largest_bytes AS ".largest_bytes",
	IFNULL(owner, name) AS "function!:owner/name",
	IFNULL(file, owner_file) AS "where!:~where/place", name AS ".name",
	IFNULL(file, owner_file) AS ".file/place", path_id AS "path:>&path",
	path_id AS ".path_id", site_id AS ".site_id",
	CASE WHEN file IS NOT NULL THEN 'call' WHEN owner_file IS NOT NULL THEN 'function' END
	AS ".line_of",
	CASE WHEN file IS NOT NULL THEN line WHEN owner_file IS NOT NULL
	THEN owner(path_id, 'line') END AS "-line/id"
FROM own, (SELECT SUM(live_bytes) AS all_live_bytes FROM allocation_sites
	WHERE run_id = :run);
