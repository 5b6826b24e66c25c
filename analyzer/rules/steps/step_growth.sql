-- SPDX-License-Identifier: MIT
-- :rule S3 step-growth: Memory that grows from step to step
-- :about live memory rises over the steps of a name and does not level off
-- :says leaves {step_bytes} live each time; {later_bytes} over the later half
-- :needs allocations steps
-- :specific 1
-- :limit least_steps = 32 count: steps of one name in a process
-- :limit least_bytes = 1048576 bytes: growth of live memory over the later half of the steps
-- :limit least_share = 0.05 ratio: the same as a share of the peak
-- :limit p_highest = 0.01 ratio: largest chance that memory without a trend would look like
-- this (Mann-Kendall)
-- :evidence later_bytes bytes, at least least: growth over the later half
-- :evidence step_bytes bytes: growth per step
-- :evidence all_bytes bytes: growth in all
-- :evidence steps count: steps
-- :evidence part percent: share of the peak
-- :asks p at most p_highest
-- :advice find the site: take snapshots, then 'prof-analyze leaks'
-- :advice PROFSHIM_SNAPSHOT_EVERY=1s takes them; rule M5 then names the site
-- :advice free at the end of a step what was made for it, or keep one buffer for all steps
-- :advice if it is meant to grow, suppress the finding with a reason
-- :speaks live memory rises over the spans and does not level off, and grew by 1 MiB and 5 %
-- of the peak over the later half
-- :gains that growth, as a share of the peak
-- :unseen the site: snapshots and M5 name it

-- :query
-- Live memory belongs to a process. What is freed before the exit is no leak of this run, so
-- it is medium at most. Counted is what a step of the later half leaves: what the first steps
-- set up, or a cache that fills up, is no growth.
WITH growth AS (SELECT t.name, t.series_id, t.timed_count AS steps,
		MAX(CASE WHEN place = spans - 1 THEN live_bytes END)
			- MAX(CASE WHEN place = spans / 2 - 1 THEN live_bytes END) AS later_bytes,
		MAX(CASE WHEN place = spans - 1 THEN live_bytes END)
			- MAX(CASE WHEN place = 0 THEN live_bytes END) AS all_bytes,
		TOTAL(CASE WHEN place >= spans / 2 THEN c.timed_count END) AS later_steps,
		growth(seconds, live_bytes, 0) AS course
	FROM step_totals t JOIN course c USING (series_id)
	WHERE t.run_id = :run AND t.process_id IS NOT NULL AND t.timed_count >= :least_steps
	GROUP BY series_id)
SELECT name AS about_step, series_id, steps, later_bytes, all_bytes, p,
	MAX(:least_bytes, :least_share * :run_peak_bytes) AS least,
	later_bytes / later_steps AS step_bytes, later_bytes AS saving_bytes,
	:run_peak_bytes AS of_bytes,
	MAX(0, MIN(1, later_bytes / :run_peak_bytes)) AS part,
	CASE WHEN is_freed THEN MIN(0.1, later_bytes / :run_peak_bytes) END AS at_stake,
	'the process''s live memory rises from step to step and does not level off; steps '
	|| 'do not show which function holds it' || CASE WHEN is_freed THEN '; it is freed before '
	|| 'the exit, so it matters only if the program runs longer' ELSE '' END AS why
FROM (SELECT *, CASE WHEN course ->> 0 = 'growing' THEN course ->> 2 END AS p, :live_bytes < 0.1 * all_bytes
	AND (SELECT complete FROM runs WHERE run_id = :run) AS is_freed FROM growth)
WHERE p IS NOT NULL ORDER BY name, series_id;

-- :proof
SELECT number, timed_count, last_ns, live_bytes FROM step_spans WHERE run_id = {run} AND
	series_id = {series_id} ORDER BY number
