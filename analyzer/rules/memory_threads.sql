-- SPDX-License-Identifier: MIT
-- Sites whose blocks other threads free. Columns from the fourth: such frees, frees,
-- allocations, bytes; and of such frees those of blocks that are too large for the fast
-- lists of glibc (more than 120 bytes, by the mean size).

-- :name crossing
SELECT path_id, file, line, cross_thread_free_count, free_count, alloc_count, alloc_bytes,
	CASE WHEN alloc_bytes > 120 * alloc_count THEN cross_thread_free_count ELSE 0 END
FROM site
WHERE run_id = :run AND cross_thread_free_count > 0
	AND cross_thread_free_count >= :share * free_count;
