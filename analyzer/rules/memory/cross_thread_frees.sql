-- SPDX-License-Identifier: MIT
-- :rule M10 cross-thread-frees: Blocks are freed by another thread
-- :about another thread frees many of a function's blocks
-- :says {crossed block} {crossed|is|are} freed by another thread, {part} of its frees
-- :needs allocations wall
-- :through_wrappers
-- :specific 2
-- :explains T1 T7 T8
-- :limit least_share = 0.2 ratio, at most 1: share of a site's frees that other threads do
-- :limit least_frees = 10000 count: such frees of the function
-- :limit cross_ns = 10 ns: extra CPU time of such a free and the malloc before it
-- :limit cross_large_ns = 20 ns: the same for blocks of more than 120 bytes
-- :limit wait_ns = 400 ns: most waiting for the other thread that such a free is blamed
-- for, on average; measured, see docs/rules-calibration.md
-- :limit wait_call_ns = 100000 ns: a call counts up to this much beyond the median: what
-- lasts longer is a wait for a CPU
-- :limit least_win = 0.01 ratio, at most 1: smallest share of the run that a fix must save
-- :evidence part percent, at least least_share: freed by another thread
-- :evidence crossed count, at least least_frees: such frees
-- :evidence allocs count: allocations
-- :evidence mean_bytes bytes: mean size
-- :evidence cross_ns ns: extra cost of such a free
-- :evidence waits_ns ns: time beyond the median of its calls
-- :evidence won percent: share of the run, without the recorder
-- :asks won at least least_win
-- :advice return blocks to the thread that made them: a pool with a return queue
-- :advice pass data in batches, one block for many items
-- :advice try an allocator with per-thread heaps, such as mimalloc or jemalloc
-- :docs
-- A site has `least_share` of its frees done by other threads, and they are at
-- least `least_frees`. Waits within malloc are not recorded, but they show in the
-- durations of the function that allocates: with glibc most of its calls find a block in
-- the thread's own list, and some need the arena, whose lock the freeing thread holds. So
-- the rule takes the larger of two estimates:
--
-- - such frees x `cross_ns`, or `cross_large_ns` when the blocks are larger than 120 bytes on
--   average: what they cost when the threads do not meet;
-- - what the function's calls took beyond their median, as far as it is its self time: of each
--   call at most `wait_call_ns` (what lasts longer waited for a CPU, not for a lock), and in
--   all at most `wait_ns` for each such free. What is more than that has another cause, and is
--   left to the rules about time.
--
-- It takes in what T1, T7 and T8 find in the function, when it explains half of that. Which
-- function frees is not recorded: the frees' waits are in *its* time, where a rule about time
-- may name it, even before this one.

-- :sites
-- large: frees by other threads of blocks too large for glibc's fast lists (more than 120
-- bytes on average).
SELECT path_id, file, line, call_file, call_line, cross_thread_free_count AS crossed, free_count AS frees,
	alloc_count AS allocs, alloc_bytes AS bytes,
	CASE WHEN alloc_bytes > 120 * alloc_count THEN cross_thread_free_count ELSE 0 END AS large
FROM site
WHERE run_id = :run AND cross_thread_free_count > 0
	AND cross_thread_free_count >= :least_share * free_count;

-- :query
-- beyond: what the function's calls took beyond their median, in the busiest thread, as far as
-- its own code can account for it; recursion counts nested calls again (see spread). They may
-- have waited for other threads in malloc. This includes the longer way of such a free, so
-- only one of the two counts.
WITH calls AS (SELECT o.*, f.histogram, f.self_ns, f.total_ns, 1e9 / r.ticks_per_second AS tick_ns,
		COALESCE(h.ns, f.self_ns) AS held_ns
	FROM owner o LEFT JOIN function f ON f.function_id = o.function_id AND f.self_ns > 0
		AND f.histogram IS NOT NULL AND histogram_sum(f.histogram) * 1e9
			<= 1.15 * f.raw_total_ns * (SELECT ticks_per_second FROM run WHERE run_id = :run)
	LEFT JOIN run r ON r.run_id = :run AND r.ticks_per_second > 0
	LEFT JOIN held h ON h.function_id = o.function_id),
costs AS (SELECT *, (crossed - large) * :cross_ns + large * :cross_large_ns AS frees_ns,
		MIN(IFNULL(histogram_beyond(histogram, histogram_quantile(histogram, 0.5),
			:wait_call_ns / tick_ns) * tick_ns * MIN(1, 1.0 * self_ns / total_ns)
			* MIN(1, 1.0 * held_ns / self_ns), 0), crossed * :wait_ns) AS beyond_ns
	FROM calls)
SELECT owner_id, crossed / frees AS part, crossed, allocs, bytes / allocs AS mean_bytes,
	MIN(1, MAX(frees_ns, beyond_ns) / :own_run_ns) AS won,
	MIN(MAX(frees_ns, beyond_ns), :own_run_ns) AS saving_ns, :own_run_ns AS of_ns,
	CASE WHEN beyond_ns > 0 AND beyond_ns >= frees_ns THEN beyond_ns END AS waits_ns,
	CASE WHEN beyond_ns > 0 AND beyond_ns >= frees_ns THEN NULL WHEN large > 0
		THEN :cross_large_ns ELSE :cross_ns END AS cross_ns,
	CASE WHEN beyond_ns > 0 AND beyond_ns >= frees_ns THEN 'the blocks are freed by a thread '
		|| 'that did not allocate them, and many calls that allocate take far longer than '
		|| 'most: they may have waited for that thread in malloc'
		ELSE 'the blocks are freed by a thread that did not allocate them' END AS why
FROM costs ORDER BY owner_id;

-- :proof
SELECT name, file, line, cross_thread_free_count, free_count, alloc_count, alloc_bytes FROM
	allocation_sites WHERE run_id = {run}{owned} AND cross_thread_free_count > 0 AND
	cross_thread_free_count >= {=least_share} * free_count ORDER BY 4 DESC
