-- SPDX-License-Identifier: MIT
-- :rule T7 tail-latency: A few calls that take many times as long as the others
-- :about the slowest 1 % of a function's calls take far longer than the others, and much
-- of its time
-- :says the slowest 1% of its {calls call} take {slowest} of its time
-- :borrows T8
-- :needs calls wall cpu time
-- :specific 2
-- :limit least_calls = 1000 count: calls
-- :limit run_share = 0.05 ratio, at most 1: share of the run that the function must take,
-- with what it calls
-- :limit p99_by_p50 = 10 ratio: 99th percentile of the durations over the median
-- :limit broad = 5 ratio, at least 1, not above p99_by_p50: 90th percentile over the
-- median, from which the confidence is low: durations that spread are no tail
-- :limit tail_share = 0.1 ratio, at most 1: share of the function's time that its slowest 1
-- % of calls must take, without CPU wait
-- :limit weight = 0.8 ratio, at most 1: part of the gain that counts towards the severity
-- :limit least_by_hooks = 1 ratio: self time over what was subtracted from it for hooks:
-- with less, too much depends on how exact that is
-- :limit allocs_per_call = 0.25 ratio: the function's own allocations per call, from which
-- its durations are put down to the allocator and the kernel
-- :evidence ratio ratio, at least p99_by_p50: p99 over p50
-- :evidence slowest percent, crossed tail_share: slowest 1 % of the calls, share of its
-- time
-- :evidence p50_ns ns: p50
-- :evidence p99_ns ns: p99
-- :evidence calls count: calls
-- :evidence held percent: share of the run
-- :asks tail at least tail_share
-- :why a few calls take many times as long as most, and make up much of the function's time{unless}
-- :advice see what the slow calls do: 'prof-analyze why'
-- :advice move growing, flushing and rebuilding out of the call, or do a little of it in
-- each call
-- :advice waits are not counted here: see W1 to W3 and L1 to L3
-- :speaks a function has 1,000 calls or more, their p99 is ten times their p50, and the
-- slowest 1 % take 10 % of the time
-- :gains the slow calls' time beyond p50, as far as it is the function's self time; waits
-- count for neither
-- :unseen recursive functions; those that allocate in a quarter of their calls, or whose self
-- time is less than what was subtracted for hooks; unsure when even the slowest tenth takes five
-- times p50, or waits may be what made the slowest slow

-- :unmeasured
SELECT 'no durations of single calls were recorded' WHERE NOT EXISTS (
	SELECT 1 FROM function WHERE run_id = :run AND histogram IS NOT NULL);

-- :query
-- That calls differ is measured; whether they need to is not: a lexer reads long words and
-- short ones. So confidence is never high, and lower if durations spread over a wide range
-- instead of a few calls standing out (is_broad): a quicksort sorts long parts and short ones. So it
-- is where the function waited for as long as its slowest calls took: on a busy machine they are those
-- that lost their CPU, and which calls waited nobody knows.
-- beyond: the part that calls computed beyond the median. Durations are known to the cost of a
-- hook, which is the unit for shorter ones. A function with two modes (T8) has no tail. Time
-- in callees is theirs and no gain: calls that take different ways through a program differ by
-- nature.
WITH calls AS (SELECT s.*, histogram_quantile(histogram, 0.5) * tick_ns AS p50_ns,
		histogram_quantile(histogram, 0.9) * tick_ns AS p90_ns,
		histogram_quantile(histogram, 0.99) * tick_ns AS p99_ns,
		histogram_slowest(histogram, 0.01) AS slowest,
		histogram_mode(histogram, :T8_valley, :T8_least_part, 'slow_median')
			* tick_ns / (histogram_mode(histogram, :T8_valley, :T8_least_part,
			'fast_median') * tick_ns + :hook_ns) AS mode_ratio,
		histogram_mode(histogram, :T8_valley, :T8_least_part, 'slow_calls') AS slow_calls,
		histogram_mode(histogram, :T8_valley, :T8_least_part, 'fast_ticks') * tick_ns
			AS fast_ns
	FROM spread s WHERE calls >= :least_calls AND sure_ns >= :run_share * :run_ns
		AND sure_self_ns >= :least_by_hooks * hooks_ns
		AND alloc_count < :allocs_per_call * calls),
tails AS (SELECT *, MAX(0, MIN(slowest, (computed_ns - calls * p50_ns) / computed_ns)) AS tail,
		p90_ns >= :broad * (p50_ns + :hook_ns) AS is_broad,
		waited_ns >= slowest * called_ns AS may_be_waits
	FROM calls WHERE computed_ns > 0)
SELECT function_id, p99_ns / (p50_ns + :hook_ns) AS ratio, tail, slowest, p50_ns, p99_ns, calls,
	run_ns / :run_ns AS held,
	tail * run_ns * self_share AS saving_ns,
	CASE WHEN is_broad OR may_be_waits THEN 0 END AS confidence,
	CASE WHEN is_broad OR may_be_waits THEN 0 END AS specific,
	IIF(may_be_waits, ', unless they are those that waited, as for a CPU', '') AS unless
FROM tails WHERE NOT IFNULL(mode_ratio >= :T8_mode_ratio AND slow_calls <= :T8_most_calls
	AND (computed_ns - calls * fast_ns) / computed_ns >= :T8_slow_share, 0)
ORDER BY total_ns DESC, function_id;

-- :proof
SELECT name, calls, total_ns, p50_ns, p90_ns, p95_ns, p99_ns, max_ns, (p99_ns + inner_cost_ns)
	/ (p50_ns + 2 * inner_cost_ns + outer_cost_ns) AS p99_by_p50 FROM functions JOIN run USING
	(run_id) WHERE run_id = {run} AND function_id = {function_id}
