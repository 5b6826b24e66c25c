-- SPDX-License-Identifier: MIT
-- Sites where realloc grows blocks by little. New bytes over old ones is the mean factor
-- of a step, weighted by size; allocations that began a block make it only larger, so
-- what stays below the limit grows by less than it. Columns from the fourth: bytes copied
-- and reallocs on the busiest lane of each process; bytes copied, reallocs, old bytes, new
-- bytes.

-- :name growth
SELECT path_id, file, line, realloc_copied_bytes * busiest, realloc_count * busiest,
	realloc_copied_bytes, realloc_count, realloc_old_bytes, alloc_bytes
FROM site_busiest
WHERE run_id = :run AND realloc_count >= 8 AND alloc_bytes > realloc_old_bytes
	AND alloc_bytes < :least_factor * realloc_old_bytes;

-- :name unknown
SELECT COUNT(*) AS count FROM site
WHERE run_id = :run AND realloc_count > 0 AND realloc_old_bytes IS NULL;
