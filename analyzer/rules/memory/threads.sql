-- SPDX-License-Identifier: MIT
-- Sites whose blocks other threads free. Columns from the fourth: such frees, frees,
-- allocations, bytes; and of such frees those of blocks that are too large for the fast
-- lists of glibc (more than 120 bytes, by the mean size).

-- :name crossing
SELECT path_id, file, line, cross_thread_free_count, free_count, alloc_count, alloc_bytes,
	CASE WHEN alloc_bytes > 120 * alloc_count THEN cross_thread_free_count ELSE 0 END
FROM site
WHERE run_id = :run AND cross_thread_free_count > 0
	AND cross_thread_free_count >= :least_share * free_count;

-- The function's total and self time, what of that counts for the run, the total with the
-- hooks, the histogram of its calls, and what a tick of that is in ns.
-- :name durations
SELECT f.total_ns, f.raw_total_ns, f.self_ns, f.histogram,
	COALESCE(h.ns, f.self_ns) AS held_ns,
	1e9 / r.ticks_per_second AS tick_ns
FROM function f JOIN run r USING (run_id) LEFT JOIN held h USING (function_id)
WHERE f.run_id = :run AND f.function_id = :function AND f.histogram IS NOT NULL
	AND r.ticks_per_second > 0;
