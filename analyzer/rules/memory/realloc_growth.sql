-- SPDX-License-Identifier: MIT
-- :rule M4 realloc-growth: Blocks grow by small steps
-- :about realloc grows blocks by too small a factor, so they are copied again and again
-- :says grows blocks by {step_bytes} at a time, {reallocs realloc}
-- :needs allocations wall
-- :through_wrappers
-- :specific 2
-- :limit least_factor = 1.3 ratio, at least 1, at most 2: mean factor of a realloc below which
-- growth is too slow
-- :limit least_reallocs = 1000 count: reallocs of the function
-- :limit copy_ns = 0.02 ns: CPU time to copy a byte
-- :limit realloc_ns = 20 ns: CPU time of a realloc that makes a block a little larger, copying
-- aside
-- :limit least_share = 0.01 ratio, at most 1: smallest share of the run that a fix must save
-- :evidence factor ratio, at most least_factor: mean factor of a realloc
-- :evidence reallocs count, at least least_reallocs: reallocs
-- :evidence copied_bytes bytes: copied
-- :evidence step_bytes bytes: mean step
-- :evidence realloc_ns ns: cost of a realloc, copying aside
-- :evidence won percent: share of the run, without the recorder
-- :asks won at least least_share
-- :why each realloc grows its block only a little, so it takes very many
-- :advice grow by a factor (1.5 or 2), or reserve the final size
-- :advice collect into a list of chunks and join once
-- :docs
-- New bytes over old bytes of a site's reallocs is the mean factor of a step, weighted by size.
-- Below `least_factor` growth is slow. Allocations that begin a block are among the new bytes,
-- so the true factor is smaller, never larger. Shrinking and equal sizes are no growth.
-- The length of a chain of reallocs is not recorded; `copied` is what really
-- changed its address, without what mremap moved: glibc's realloc of a block from about 128 KiB
-- on copies nothing. (discount's `___mkd_emblock` was told with 1.91 GiB copied in 0.3 s; 0.2 MiB
-- were.)
--
-- Saving: with a factor f, doubling takes ln f / ln 2 of the steps. The rest of the reallocs x
-- `realloc_ns` and of the copied bytes x `copy_ns`. Needs the column `realloc_old_bytes`; where
-- it is NULL the rule says "not measured".

-- :unmeasured
SELECT 'what the reallocs began with was not recorded' FROM site
WHERE run_id = :run AND realloc_count > 0 AND realloc_old_bytes IS NULL;

-- :sites
-- New bytes over old bytes is the mean factor of a step, weighted by size. Allocations that
-- began a block only make it larger, so growth below the limit really is below it.
SELECT path_id, file, line, call_file, call_line, realloc_copied_bytes * busiest AS critical_bytes,
	realloc_count * busiest AS critical, realloc_copied_bytes AS copied_bytes,
	realloc_count AS reallocs, realloc_old_bytes AS old_bytes, alloc_bytes AS new_bytes
FROM site_busiest
WHERE run_id = :run AND realloc_count >= 8 AND alloc_bytes > realloc_old_bytes
	AND alloc_bytes < :least_factor * realloc_old_bytes;

-- :query
-- n steps with factor f grow a block f^n times; doubling takes n ln f / ln 2 steps for that.
-- The other steps and the bytes they copied can be won (part).
WITH parts AS (SELECT *, new_bytes / old_bytes AS factor,
		1 - doublings(new_bytes / old_bytes) AS part FROM owner),
won AS (SELECT *, part * (critical_bytes * :copy_ns + critical * :realloc_ns) AS won_ns
	FROM parts)
SELECT owner_id, factor, reallocs, copied_bytes, (new_bytes - old_bytes) / reallocs AS step_bytes,
	:realloc_ns AS realloc_ns, MIN(1, won_ns / :own_run_ns) AS won,
	MIN(won_ns, :own_run_ns) AS saving_ns, :own_run_ns AS of_ns,
	part * reallocs AS saving_allocs, 2 AS confidence
FROM won ORDER BY owner_id;

-- :proof
SELECT name, file, line, realloc_copied_bytes, realloc_count, realloc_old_bytes, alloc_bytes,
	alloc_bytes * 1.0 / realloc_old_bytes AS factor FROM allocation_sites WHERE run_id =
	{run}{owned} AND realloc_count >= 8 AND alloc_bytes > realloc_old_bytes AND alloc_bytes <
	{=least_factor} * realloc_old_bytes ORDER BY 4 DESC
