-- SPDX-License-Identifier: MIT
-- :rule M9 small-object-overhead: Blocks too small for their headers
-- :about very many small blocks, on which the allocator spends half as much again or more
-- :says malloc spends {lost_bytes}{lost_least_bytes} more on {blocks block} of {mean_bytes}
-- :needs allocations
-- :through_wrappers
-- :specific 2
-- :limit least_blocks = 100000 count: blocks of the function live at the peak
-- :limit overhead_ratio = 0.5 ratio: what the allocator adds, over what was asked for
-- :evidence lost_ratio ratio, crossed overhead_ratio: lost / asked for
-- :evidence blocks count, at least least_blocks: blocks at the peak
-- :evidence mean_bytes bytes: mean size
-- :evidence lost_bytes bytes: lost
-- :evidence lost_least_bytes bytes: lost, at least
-- :asks lost at least least_lost
-- :why the blocks are so small that headers and rounding (64-bit glibc) are much of the
-- memory
-- :advice allocate them from a pool, or in an array with indices
-- :advice put several into one block, or the link into the object that it links
-- :docs
-- At least `least_blocks` blocks at the peak, for which a 64-bit glibc takes
-- `overhead_ratio` more than was asked for: 8 bytes for the header, in steps of 16, at
-- least 32. That is exact when all blocks of a site have one size; else it is the least
-- that they can take, and the finding says "at least". With another allocator this does
-- not hold.
--
-- Saving: what is lost, as a share of the peak and it together (a peak is of bytes asked for).

-- :sites
-- What 64-bit glibc takes for n bytes: n and 8 for the header, in steps of 16, at least 32.
-- This is exact if all blocks of a site have one size; else the mean size without rounding
-- gives the least that they take.
SELECT path_id, file, line, call_file, call_line,
	at_peak_count * MAX(32, CASE is_exact WHEN 1 THEN (CAST(mean AS INTEGER) + 23) / 16 * 16
		ELSE mean + 8 END) - at_peak_bytes AS lost,
	at_peak_count AS blocks, at_peak_bytes AS bytes, is_exact * at_peak_count AS exact
FROM (SELECT *, at_peak_bytes * 1.0 / at_peak_count AS mean,
		alloc_bytes = alloc_count * largest_bytes AS is_exact
	FROM site WHERE run_id = :run AND at_peak_count >= 100
		AND at_peak_bytes < 128 * at_peak_count);

-- :query
-- The peak counts bytes asked for; the loss comes on top. Blocks of 0 bytes are all loss.
SELECT owner_id, lost / NULLIF(bytes, 0) AS lost_ratio, blocks, bytes / blocks AS mean_bytes,
	lost, :overhead_ratio * bytes AS least_lost,
	CASE WHEN exact >= blocks THEN lost END AS lost_bytes,
	CASE WHEN exact < blocks THEN lost END AS lost_least_bytes,
	lost AS saving_bytes, :run_peak_bytes + lost AS of_bytes
FROM owner ORDER BY owner_id;

-- :proof
SELECT name, file, line, at_peak_count, at_peak_bytes, at_peak_bytes / at_peak_count AS
	mean_bytes, alloc_bytes = alloc_count * largest_bytes AS of_one_size FROM allocation_sites
	WHERE run_id = {run}{owned} AND at_peak_count >= 100 AND at_peak_bytes < 128 * at_peak_count
	ORDER BY 4 DESC
