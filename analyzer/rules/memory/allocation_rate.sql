-- SPDX-License-Identifier: MIT
-- :rule M1 allocation-rate: Many allocations per second
-- :about the run allocates often, and the blocks are neither temporary nor recycled
-- :needs allocations wall
-- :specific 1
-- :limit per_s = 100000 per_s: allocations of the run per second
-- :limit owner_share = 0.2 ratio, at most 1: share of the allocations from which a function is
-- named
-- :limit temporary_share = 0.5 ratio, not above M3.temporary_share: share of temporary ones
-- from which a site is judged by M3 only
-- :limit churn_ratio = 10 ratio, not above M2.churn_ratio: bytes allocated over most bytes
-- live from which blocks count as recycled
-- :limit big_bytes = 131072 bytes, not above M8.big_bytes: mean size from which only M8
-- judges blocks (malloc's mmap threshold)
-- :limit pair_ns = 8 ns: CPU time of a malloc and its free
-- :limit least_share = 0.01 ratio, at most 1: smallest share of the run that a fix must save
-- :evidence of_run per_s, at least per_s: allocations of the run
-- :evidence allocs count: of them here
-- :evidence spread_allocs count: of them spread
-- :evidence part percent: share
-- :evidence mean_bytes bytes: mean size
-- :evidence pair_ns ns: cost of malloc and free
-- :evidence won percent: share of the run, without the recorder
-- :asks won at least least_share
-- :why the run allocates many blocks per second, and they live for a while
-- :advice allocate many at once: an arena or a pool
-- :advice reserve the container's final size before filling it
-- :advice keep the data in one array instead of linked blocks
-- :docs
-- The run allocates more than `per_s` blocks a second, and the saving is at least
-- `least_share` of the run. Only sites count whose blocks are neither temporary (M3),
-- recycled (M2), big (M8) nor made by realloc (M4), so no pair of malloc and free is
-- counted twice. The finding names a function with `owner_share` of all allocations;
-- without one it is about the run.
--
-- Saving: allocations x `pair_ns`. Ceiling: all of them go.

-- :sites
SELECT path_id, file, line, call_file, call_line, alloc_count * busiest AS critical, alloc_count AS allocs,
	alloc_bytes AS bytes
FROM site_busiest
WHERE run_id = :run AND alloc_count >= 100
	AND alloc_bytes < :big_bytes * alloc_count
	AND temporary_count < :temporary_share * alloc_count
	AND 2 * realloc_count < alloc_count
	AND (alloc_bytes < :churn_ratio * peak_bytes OR free_count < 100)
	AND :alloc_count >= :per_s * :wall_ns / 1e9;

-- :query
-- An owner with many allocations is named; otherwise the finding is about the run.
WITH named AS (SELECT owner_id, critical, allocs, bytes FROM owner
	WHERE allocs >= :owner_share * :alloc_count
		AND critical * :pair_ns >= :least_share * :own_run_ns),
found AS (SELECT * FROM named UNION ALL SELECT NULL, critical, allocs, bytes FROM every_owner
	WHERE NOT EXISTS (SELECT 1 FROM named) AND allocs > 0)
SELECT owner_id, :alloc_count / (:wall_ns / 1e9) AS of_run,
	CASE WHEN owner_id > 0 THEN allocs END AS allocs,
	CASE WHEN owner_id > 0 THEN NULL ELSE allocs END AS spread_allocs,
	allocs / :alloc_count AS part, bytes / allocs AS mean_bytes, :pair_ns AS pair_ns,
	MIN(1, critical * :pair_ns / :own_run_ns) AS won,
	MIN(critical * :pair_ns, :own_run_ns) AS saving_ns, :own_run_ns AS of_ns,
	allocs AS saving_allocs, CASE WHEN owner_id > 0 THEN 'allocates {allocs block} of {mean_bytes}'
		|| ', {of_run} in the run' ELSE 'the run allocates {of_run}, '
		|| '{mean_bytes} on average' END AS says
FROM found ORDER BY owner_id;

-- :proof
SELECT name, file, line, alloc_count, alloc_bytes, free_count, peak_bytes FROM allocation_sites
	WHERE run_id = {run}{owned} AND alloc_count >= 100 AND alloc_bytes < {=big_bytes} *
	alloc_count AND temporary_count < {=temporary_share} * alloc_count AND 2 * realloc_count <
	alloc_count AND (alloc_bytes < {=churn_ratio} * peak_bytes OR free_count < 100) ORDER BY 4
	DESC
