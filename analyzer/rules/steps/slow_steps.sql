-- SPDX-License-Identifier: MIT
-- :rule S2 slow-steps: Single steps far slower than the others
-- :about some steps take many times the median of their name
-- :says its slowest step takes {slowest_ns}, {by_usual} times the median
-- :needs steps wall cpu
-- :specific 1
-- :limit least_steps = 32 count: steps of one name
-- :limit slow_by_usual = 10 ratio: duration of a slow step over the median
-- :limit least_ns = 1000000 ns: a step that takes less is not slow, whatever the median
-- :limit run_share = 0.01 ratio: share of the run that the slow steps must take beyond the
-- median, without CPU wait
-- :limit weight = 0.8 ratio, at most 1: part of the gain that counts towards the severity
-- :evidence by_usual ratio, at least slow_by_usual: slowest over median
-- :evidence slowest_ns ns: slowest
-- :evidence started_ns ns: it began at
-- :evidence usual_ns ns: median
-- :evidence slow_count count: slow steps, at least
-- :evidence beyond percent, at least run_share: beyond the median, share of the run
-- :advice {look}
-- :advice move rare work out of the loop, spread it over many steps, or give it to another
-- thread
-- :advice put a region around what may be slow: its own p99 and longest call are recorded
-- :speaks steps take ten times the median and a millisecond or more, together 1 % of the run
-- beyond the median
-- :gains that
-- :unseen slow steps beyond the five slowest, unless p99, p95 or p90 is ten times the median,
-- too

-- :query
-- usual_ns: the median; for steps that drift that of the last ones. The five slowest are known
-- one by one. If more are slow, percentiles tell: a hundredth of the steps takes p99 or more,
-- waits for a CPU included, of which all may have been theirs. If fewer than five are slow,
-- their number is exact.
WITH usual AS (SELECT *, MAX(:slow_by_usual * usual_ns, :least_ns) AS least_ns
	FROM (SELECT *, CASE WHEN p50_ns > 0 AND last_ns > p50_ns AND p <= 0.01 THEN last_ns
			ELSE p50_ns END AS usual_ns
		FROM quarters WHERE steps >= :least_steps)
	WHERE usual_ns > 0 AND max_ns >= MAX(:slow_by_usual * usual_ns, :least_ns)),
extremes AS (SELECT u.series_id, e.started_ns,
		CAST(e.duration_ns - COALESCE(e.ready_ns, 0) AS REAL) AS ns,
		ROW_NUMBER() OVER (PARTITION BY u.series_id ORDER BY e.rank) AS place
	FROM usual u JOIN step_extremes e USING (series_id)
	WHERE e.run_id = :run AND is_slowest = 1
		AND e.duration_ns - COALESCE(e.ready_ns, 0) >= u.least_ns),
known AS (SELECT series_id, COUNT(*) AS count, SUM(ns) AS ns, MAX(ns) AS slowest_ns, started_ns
	FROM extremes WHERE place <= 5 GROUP BY 1),
parts AS (SELECT u.series_id, CAST(0.1 * steps AS INTEGER) AS count, p90_ns AS ns FROM usual u
	UNION ALL SELECT u.series_id, CAST(0.05 * steps AS INTEGER), p95_ns FROM usual u
	UNION ALL SELECT u.series_id, CAST(0.01 * steps AS INTEGER), p99_ns FROM usual u),
slow AS (SELECT u.series_id, MAX(count) AS count,
		MAX(count * (ns - usual_ns) - ready_ns) AS beyond_ns
	FROM parts JOIN usual u USING (series_id) WHERE ns >= least_ns GROUP BY 1),
both AS (SELECT u.*, k.slowest_ns, k.started_ns, CASE WHEN k.count = 5
		THEN MAX(k.count, IFNULL(s.count, 0)) ELSE k.count END AS slow_count,
		MAX(k.ns - k.count * usual_ns, IFNULL(s.beyond_ns, 0)) AS beyond_ns
	FROM usual u JOIN known k USING (series_id) LEFT JOIN slow s USING (series_id)),
won AS (SELECT *, CASE WHEN total_ns > :run_ns THEN beyond_ns * :run_ns / total_ns
		ELSE beyond_ns END AS won_ns FROM both)
SELECT name AS about_step, series_id, slowest_ns, started_ns, usual_ns, slow_count,
	slowest_ns / usual_ns AS by_usual, won_ns / :run_ns AS beyond,
	won_ns AS saving_ns, slow_count > 1 AS confidence,
	CASE WHEN slow_count > 1 THEN 'some steps took far longer than most'
		ELSE 'one step took far longer than all others; the time between two loops of the '
			|| 'same name counts as a step' END AS why,
	CASE WHEN slow_count > 1 THEN 'see when they were: ''prof-analyze steps'' lists the five slowest'
		ELSE 'see what the program did then: ''prof-analyze steps'' has the time' END
		AS look
FROM won ORDER BY all_ns DESC, series_id;

-- :proof
SELECT rank, step_index, started_ns, duration_ns, ready_ns FROM step_extremes WHERE run_id =
	{run} AND series_id = {series_id} AND is_slowest = 1 ORDER BY rank
