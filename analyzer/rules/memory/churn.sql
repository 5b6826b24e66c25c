-- SPDX-License-Identifier: MIT
-- :rule M2 churn: The same memory is allocated again and again
-- :about a function allocates many times its peak of live bytes
-- :says allocates {bytes} but has at most {peak_bytes} live
-- :needs allocations wall
-- :through_wrappers
-- :specific 2
-- :limit churn_ratio = 10 ratio: bytes allocated over most bytes live from which blocks count
-- as recycled
-- :limit least_allocs = 10000 count: allocations of the function
-- :limit weight = 0.5 ratio, at most 1: part of the gain that counts towards the severity
-- :limit temporary_share = 0.5 ratio, not above M3.temporary_share: share of temporary ones
-- from which a site is judged by M3 only
-- :limit big_bytes = 131072 bytes, not above M8.big_bytes: mean size from which only M8
-- judges blocks (malloc's mmap threshold)
-- :limit pair_ns = 8 ns: CPU time of a malloc and its free
-- :limit least_share = 0.02 ratio, at most 1: smallest share of the run that a fix must save
-- :evidence churn ratio, at least churn_ratio: bytes allocated / most live
-- :evidence allocs count, at least least_allocs: allocations
-- :evidence bytes bytes: allocated
-- :evidence peak_bytes bytes: most live at a time
-- :evidence pair_ns ns: cost of malloc and free
-- :evidence won percent: share of the run, without the recorder
-- :asks won at least least_share
-- :why the function allocates far more than is ever live at a time: the same memory is
-- freed and allocated again
-- :advice reuse the buffer, or keep a free list
-- :advice move the allocation out of the loop that calls it
-- :advice let the caller pass the buffer in
-- :docs
-- A site allocates `churn_ratio` times as many bytes as it ever has live, most
-- blocks are not temporary, and the function allocates at least `least_allocs` times.
-- Only freed blocks count.
--
-- Saving: the pairs x `pair_ns`; `weight` of it counts for the severity.

-- :sites
-- Blocks that go back to the kernel are big-block cycling, blocks made by realloc are realloc
-- growth. A site is judged by only one of M1 to M3, so no pair of malloc and free counts
-- twice.
SELECT path_id, file, line, call_file, call_line, free_count * busiest AS critical, free_count AS pairs,
	alloc_count AS allocs, alloc_bytes AS bytes, peak_bytes
FROM site_busiest
WHERE run_id = :run AND free_count >= 100
	AND alloc_bytes >= :churn_ratio * peak_bytes AND peak_bytes > 0
	AND alloc_bytes < :big_bytes * alloc_count
	AND temporary_count < :temporary_share * alloc_count
	AND 2 * realloc_count < alloc_count;

-- :query
SELECT owner_id, bytes / peak_bytes AS churn, allocs, bytes, peak_bytes, :pair_ns AS pair_ns,
	MIN(1, critical * :pair_ns / :own_run_ns) AS won,
	MIN(critical * :pair_ns, :own_run_ns) AS saving_ns, :own_run_ns AS of_ns,
	pairs AS saving_allocs
FROM owner ORDER BY owner_id;

-- :proof
SELECT name, file, line, alloc_bytes * 1.0 / peak_bytes AS churn, alloc_count, alloc_bytes,
	peak_bytes, free_count FROM allocation_sites WHERE run_id = {run}{owned} AND free_count >= 100
	AND alloc_bytes >= {=churn_ratio} * peak_bytes AND peak_bytes > 0 AND alloc_bytes <
	{=big_bytes} * alloc_count AND temporary_count < {=temporary_share} * alloc_count AND 2 *
	realloc_count < alloc_count ORDER BY 4 DESC
