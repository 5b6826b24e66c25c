-- SPDX-License-Identifier: MIT
-- :rule M3 temporary-allocations: Blocks that are freed at once
-- :about most blocks of a function are freed with at most one other allocation in between
-- :says frees {pairs block} right after malloc, {part} of its own
-- :needs allocations wall
-- :through_wrappers
-- :specific 2
-- :limit temporary_share = 0.5 ratio, at most 1: share of its blocks that a site frees with at
-- most one other allocation in between
-- :limit pair_ns = 8 ns: CPU time of a malloc and its free
-- :limit least_share = 0.01 ratio, at most 1: smallest share of the run that a fix must save
-- :evidence part percent, at least temporary_share: temporary, share of its allocations
-- :evidence pairs count: temporary
-- :evidence of_run percent: of the run's allocations
-- :evidence mean_bytes bytes: mean size
-- :evidence pair_ns ns: cost of malloc and free
-- :evidence won percent: share of the run, without the recorder
-- :asks won at least least_share
-- :why these blocks are freed with at most one other allocation of the thread in between
-- :advice use a local array, or keep one buffer
-- :advice use the heap only above the common size
-- :advice pass a view (pointer and length), or move instead of copying
-- :docs
-- A site frees at least `temporary_share` of its blocks with at most one other allocation of the
-- thread in between.
--
-- Saving: the temporary blocks, which are counted exactly, x `pair_ns`.

-- :sites
SELECT path_id, file, line, call_file, call_line, temporary_count * busiest AS critical, temporary_count AS pairs,
	alloc_count AS allocs, alloc_bytes AS bytes
FROM site_busiest
WHERE run_id = :run AND temporary_count >= 100
	AND temporary_count >= :temporary_share * alloc_count;

-- :query
SELECT owner_id, pairs / allocs AS part, pairs, MIN(1, pairs / :alloc_count) AS of_run,
	bytes / allocs AS mean_bytes, :pair_ns AS pair_ns,
	MIN(1, critical * :pair_ns / :own_run_ns) AS won,
	MIN(critical * :pair_ns, :own_run_ns) AS saving_ns, :own_run_ns AS of_ns,
	pairs AS saving_allocs, 2 AS confidence
FROM owner ORDER BY owner_id;

-- :proof
SELECT name, file, line, temporary_count, alloc_count, alloc_bytes FROM allocation_sites WHERE
	run_id = {run}{owned} AND temporary_count >= 100 AND temporary_count >= {=temporary_share} *
	alloc_count ORDER BY 4 DESC
