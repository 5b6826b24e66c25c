-- SPDX-License-Identifier: MIT
-- :rule S1 step-drift: Steps that get slower and slower
-- :about later steps of a name take much longer than the first ones
-- :says takes {last_ns} in the last quarter of {steps step}, {first_ns} in the first
-- :needs steps wall cpu
-- :specific 1
-- :limit least_steps = 32 count: steps of one name
-- :limit later_by_first = 1.5 ratio: median of the last quarter's steps over that of the
-- first quarter's
-- :limit p_highest = 0.01 ratio: largest chance that steps without a trend would look like
-- this (Mann-Kendall)
-- :limit run_share = 0.05 ratio: share of the run that the later steps must take beyond the
-- first ones, without CPU wait
-- :evidence later_by_first ratio, at least later_by_first: last quarter over first
-- :evidence beyond percent, at least run_share: beyond the first, share of the run
-- :evidence first_ns ns: a step of the first quarter
-- :evidence last_ns ns: a step of the last
-- :evidence steps count: steps
-- :asks p at most p_highest
-- :why later steps take longer than earlier ones, and not just a few of them
-- :advice look for work that grows with earlier steps
-- :advice the usual causes are lists that are searched, and caches without a limit
-- :advice take snapshots early and late: 'prof-analyze delta' shows the time between two of
-- them by function
-- :advice if later input is larger by nature, suppress the finding with a reason
-- :speaks the median of the last quarter of the spans is 1.5 times that of the first, the
-- spans rise (Mann-Kendall, p at most 1 %), and the later steps take 5 % of the run beyond the
-- first ones
-- :gains that excess, each span counted up to the last quarter's median
-- :unseen why; whether the later input was larger

-- :query
-- A single slow step counts no more than its neighbours. For steps of several threads side by
-- side only the run's share counts.
WITH later AS (SELECT q.*, SUM(timed_count * MAX(0, MIN(c.mean_ns, last_ns) - first_ns)) AS beyond_ns
	FROM quarters q JOIN course c USING (series_id)
	WHERE steps >= :least_steps AND first_ns > 0 AND p IS NOT NULL GROUP BY series_id),
won AS (SELECT *, CASE WHEN total_ns > :run_ns THEN beyond_ns * :run_ns / total_ns
		ELSE beyond_ns END AS saving_ns FROM later)
SELECT name AS about_step, series_id, steps, first_ns, last_ns, p,
	last_ns / first_ns AS later_by_first, saving_ns, saving_ns / :run_ns AS beyond
FROM won ORDER BY all_ns DESC, series_id;

-- :proof
SELECT number, timed_count, (total_ns - ready_ns) / timed_count AS mean_ns, first_ns, last_ns
	FROM step_spans WHERE run_id = {run} AND series_id = {series_id} ORDER BY number
