-- SPDX-License-Identifier: MIT
-- Allocation sites.

-- :name all
SELECT alloc_bytes, alloc_count, live_bytes, live_count, at_peak_bytes, at_peak_count,
	peak_bytes, temporary_count, free_count, free_bytes, realloc_count,
	realloc_copied_bytes, cross_thread_free_count, largest_bytes, name, file, line,
	path_id, site_id
FROM allocation_sites
WHERE run_id = :run AND (:only_live = 0 OR live_count > 0);
