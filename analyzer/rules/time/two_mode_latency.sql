-- SPDX-License-Identifier: MIT
-- :rule T8 two-mode-latency: A function with fast calls and slow calls
-- :about a function's durations fall into two groups far apart, and the slow group takes
-- much of its time
-- :says {slow_calls} of its {calls call} take {slow_ns}, the others {fast_ns}
-- :needs calls wall cpu time
-- :specific 2
-- :limit least_calls = 100 count: calls
-- :limit run_share = 0.05 ratio, at most 1: share of the run that the function must take,
-- with what it calls
-- :limit mode_ratio = 10 ratio, at least 1: median of the slow calls over that of the fast
-- ones
-- :limit most_calls = 0.3 ratio, at most 1: largest share of slow calls: with more, slow is
-- usual, and T1 judges
-- :limit slow_share = 0.2 ratio, at most 1: share of the function's time that the slow
-- calls must take, without CPU wait
-- :limit least_part = 0.05 ratio, at most 0.5, not above most_calls: part of the calls that
-- each group must have
-- :limit valley = 0.05 ratio: calls between the groups, as a part of the smaller one, at
-- most
-- :limit weight = 0.8 ratio, at most 1: part of the gain that counts towards the severity
-- :limit least_by_hooks = 1 ratio: self time over what was subtracted from it for hooks:
-- with less, too much depends on how exact that is
-- :limit allocs_per_call = 0.25 ratio: the function's own allocations per call, from which
-- its durations are put down to the allocator and the kernel
-- :evidence mode_ratio ratio, at least mode_ratio: slow over fast
-- :evidence slow_part percent, beside slow_share: slow calls, share of its time
-- :evidence slow_calls percent: slow calls, share of its calls
-- :evidence fast_ns ns: mean of the fast ones
-- :evidence slow_ns ns: mean of the slow ones
-- :evidence calls count: calls
-- :asks slow_calls at most most_calls
-- :asks beyond at least slow_share
-- :why its calls are either fast or slow, with hardly any in between
-- :advice make the slow branch rarer, or faster
-- :advice find the branch: a cache miss, a growing container, a fallback
-- :advice move the slow branch into its own function, so that it is measured separately
-- :speaks durations fall into two groups with medians a factor of ten apart and hardly a call
-- between; the slow group has 20 % of the time and at most 30 % of the calls
-- :gains the slow calls' time beyond the fast calls', as far as it is the function's self
-- time
-- :unseen as T7

-- :unmeasured
SELECT 'no durations of single calls were recorded' WHERE NOT EXISTS (
	SELECT 1 FROM function WHERE run_id = :run AND histogram IS NOT NULL);

-- :query
-- Medians are used, because a long tail would lift the mean of a mode. beyond: as in T7, but
-- beyond what the fast calls take.
WITH modes AS (SELECT s.*, histogram_mode(histogram, :valley, :least_part, 'slow_median')
			* tick_ns / (histogram_mode(histogram, :valley, :least_part,
			'fast_median') * tick_ns + :hook_ns) AS mode_ratio,
		histogram_mode(histogram, :valley, :least_part, 'slow_calls') AS slow_calls,
		histogram_mode(histogram, :valley, :least_part, 'slow_share') AS slow_part,
		histogram_mode(histogram, :valley, :least_part, 'fast_ticks') * tick_ns AS fast_ns,
		histogram_mode(histogram, :valley, :least_part, 'slow_ticks') * tick_ns AS slow_ns
	FROM spread s WHERE calls >= :least_calls AND sure_ns >= :run_share * :run_ns
		AND sure_self_ns >= :least_by_hooks * hooks_ns
		AND alloc_count < :allocs_per_call * calls)
SELECT function_id, mode_ratio, slow_part, slow_calls, fast_ns, slow_ns, calls,
	(computed_ns - calls * fast_ns) / computed_ns AS beyond,
	MIN(slow_part, MAX(0, MIN(1, (computed_ns - calls * fast_ns) / computed_ns)))
		* run_ns * self_share AS saving_ns
FROM modes WHERE computed_ns > 0 AND mode_ratio IS NOT NULL ORDER BY total_ns DESC, function_id;

-- :proof
SELECT name, calls, total_ns, p50_ns, p90_ns, p95_ns, p99_ns, max_ns, (p99_ns + inner_cost_ns)
	/ (p50_ns + 2 * inner_cost_ns + outer_cost_ns) AS p99_by_p50 FROM functions JOIN run USING
	(run_id) WHERE run_id = {run} AND function_id = {function_id}
