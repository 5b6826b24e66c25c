-- SPDX-License-Identifier: MIT
-- Blocks that are too big or too small for the allocator to be cheap.

-- Big blocks, allocated again and again for few that live at a time. A block that realloc
-- grows stays, only what is added is new. Columns from the fourth: bytes, allocations, most
-- live bytes.
-- :name big
SELECT s.path_id, s.file, s.line, s.alloc_bytes - COALESCE(s.realloc_old_bytes, 0),
	s.alloc_count - s.realloc_count, s.peak_bytes
FROM site s
WHERE s.run_id = :run AND s.free_count >= 10
	AND s.alloc_count > s.realloc_count AND s.peak_bytes > 0
	AND s.alloc_bytes >= :big_bytes * s.alloc_count
	AND s.alloc_bytes - COALESCE(s.realloc_old_bytes, 0) >= :churn_ratio * s.peak_bytes;

-- Faults of each process since its start, as far as the collector looked; NULL: never.
-- :name faults
SELECT SUM(minor_faults) AS minor_faults FROM (
	SELECT MAX(minor_faults) AS minor_faults FROM resource WHERE run_id = :run
	GROUP BY process_id);

-- Small blocks at the peak. What glibc (64 bit) takes for a block of n bytes: n and 8 for
-- its header, in steps of 16, at least 32. When all blocks of a site have one size that is
-- exact; else each is taken with the mean size and without rounding, which is the least
-- that they can take. Columns from the fourth: bytes lost, blocks, bytes, exact ones.
-- :name small
SELECT path_id, file, line,
	at_peak_count * MAX(32,
	CASE is_exact WHEN 1 THEN (CAST(mean AS INTEGER) + 23) / 16 * 16
		ELSE mean + 8 END) - at_peak_bytes,
	at_peak_count, at_peak_bytes, is_exact * at_peak_count
FROM (SELECT *, at_peak_bytes * 1.0 / at_peak_count AS mean,
		alloc_bytes = alloc_count * largest_bytes AS is_exact
	FROM site WHERE run_id = :run AND at_peak_count >= 100
		AND at_peak_bytes < 128 * at_peak_count);
