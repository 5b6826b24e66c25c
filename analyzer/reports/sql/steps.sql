-- SPDX-License-Identifier: MIT
-- :report steps: steps of loops and counters: rates, extremes, drift
-- :takes run limit sort
-- :example prof-analyze steps run.db
-- :about
-- A step lasts from one profshim_step() of its name to the next of the same thread; the
-- table counts the calls. Rates are from the first mark to the last. drift: mean of the
-- last quarter of the steps against that of the first. memory/step: growth of live memory
-- from the first mark to the last, for each step. Percentiles are at most 6.25% off,
-- everything else is exact. Computing, CPU wait (runnable, not running) and blocked are
-- those of the marking thread, with the call path on which it waited longest, for all
-- steps of a name and for each slow one. The plots are means over the run. The latest 512
-- of each name are in the views steps and counters.

-- In all queries all processes together.
-- :keep courses
SELECT 'step' AS kind, series_id, name, number, first_ns, last_ns, timed_count AS value_count,
	1.0 * total_ns AS sum, live_bytes
FROM step_spans WHERE run_id = :run AND of_process_id IS NULL
UNION ALL SELECT 'counter', series_id, name, number, first_ns, last_ns, counter_count, sum,
	live_bytes
FROM counter_spans WHERE run_id = :run AND of_process_id IS NULL;

-- Mean of the last quarter of the values against that of the first, in percent. A span that
-- reaches over the quarter's end counts with its share.
-- :keep drifts
WITH placed AS (SELECT series_id, sum / value_count AS mean, value_count AS count,
	TOTAL(value_count) OVER (PARTITION BY series_id) / 4.0 AS quarter,
	TOTAL(value_count) OVER (PARTITION BY series_id ORDER BY number) - value_count AS before
	FROM courses WHERE value_count > 0),
ends AS (SELECT series_id, quarter,
	SUM(mean * MAX(0, MIN(count, quarter - before))) / quarter AS first,
	SUM(mean * MAX(0, MIN(count, before + count - 3 * quarter))) / quarter AS last
	FROM placed GROUP BY series_id)
SELECT series_id, 100 * (last - first) / ABS(first) AS drift_percent FROM ends
WHERE quarter >= 2 AND first <> 0 AND ABS((last - first) / first) < 1e300;

-- The longest wait of all steps of a name (rank 0) and of each slow one; for a call of libc with
-- its caller.
-- :keep waits
SELECT w.series_id, w.rank, MAX(w.ready_ns + w.blocked_ns) AS waited_ns,
	CASE WHEN p.kind IN ('wait', 'io') AND q.name IS NOT NULL
		THEN w.waited_in || ' in ' || q.name ELSE w.waited_in END AS waited_in
FROM step_waits w JOIN call_paths p USING (run_id, path_id)
	LEFT JOIN call_paths q ON q.path_id = p.parent_path_id
WHERE w.run_id = :run AND w.of_process_id IS NULL GROUP BY w.series_id, w.rank;

-- :keep marked
SELECT t.*, n.process_count, drift_percent, IFNULL(waited_ns, 0) AS waited_ns, waited_in,
	CASE WHEN last_ns > first_ns
	THEN timed_count * 1e9 / (1.0 * last_ns - first_ns) END AS per_second,
	1.0 * growth_bytes / NULLIF(timed_count, 0) AS bytes_per_step
FROM step_totals t LEFT JOIN (SELECT name, COUNT(*) AS process_count FROM step_totals
	WHERE run_id = :run AND process_id IS NOT NULL GROUP BY name) n USING (name)
LEFT JOIN drifts USING (series_id)
LEFT JOIN waits w ON w.series_id = t.series_id AND w.rank = 0
WHERE t.run_id = :run AND t.process_id IS NULL;

-- :keep counted
SELECT t.*, n.process_count, drift_percent, CASE WHEN last_ns > first_ns
	THEN (counter_count - 1) * 1e9 / (1.0 * last_ns - first_ns) END AS per_second
FROM counter_totals t LEFT JOIN (SELECT name, COUNT(*) AS process_count FROM counter_totals
	WHERE run_id = :run AND process_id IS NOT NULL GROUP BY name) n USING (name)
LEFT JOIN drifts USING (series_id)
WHERE t.run_id = :run AND t.process_id IS NULL;

-- :table steps only_brief optional noun=step = Steps
SELECT step_count AS "count!:step_count", per_second AS "per second!:~rate/rate",
	per_second AS ".per_second/any", per_second * 3600 AS ".per_hour/any",
	p50_ns AS "median!:p50_ns", p99_ns AS "p99!:p99_ns", max_ns AS "max:max_ns",
	drift_percent AS "drift!:~drift/drift", drift_percent AS ".drift_percent/any",
	total_ns AS ".total_ns", timed_count AS ".timed_count",
	growth_bytes AS ".growth_bytes/bytes_change", first_ns AS ".first_ns",
	last_ns AS ".last_ns", name AS "step!:name", series_id AS ".series_id"
FROM marked ORDER BY total_ns DESC, name;

-- :table steps main sort quiet rows=20 order=series_id noun=step = Steps
SELECT step_count AS "count!:step_count", per_second AS ".per_second/any",
	per_second * 3600 AS ".per_hour/any", mean_ns AS "mean!:mean_ns",
	p50_ns AS "median!:p50_ns", p90_ns AS ".p90_ns", p95_ns AS "p95!:p95_ns",
	p99_ns AS "p99!:p99_ns", min_ns AS ".min_ns", max_ns AS "max!:max_ns",
	total_ns AS ".total_ns", timed_count AS ".timed_count",
	drift_percent AS "drift!:~drift/drift", drift_percent AS ".drift_percent/any",
	bytes_per_step AS ".bytes_per_step/any",
	growth_bytes AS ".growth_bytes/bytes_change", first_ns AS ".first_ns",
	last_ns AS ".last_ns", process_count AS ".process_count", name AS "step!:name",
	series_id AS ".series_id", cpu_ns AS ".cpu_ns", ready_ns AS ".ready_ns",
	blocked_ns AS ".blocked_ns", waited_ns AS ".waited_ns", waited_in AS ".waited_in/text"
FROM marked ORDER BY total_ns DESC, name;

-- :table rates human optional whole = Rates, and growth of live memory
SELECT per_second AS "per second!:per_second/rate", per_second * 3600 AS "per hour!:per_hour/rate",
	bytes_per_step AS "memory/step!:bytes_per_step/bytes_change",
	growth_bytes AS "in all!:growth_bytes/bytes_change", name AS "step!:name"
FROM marked JOIN steps_shown USING (series_id) ORDER BY place;

-- Only if steps did more than compute.
-- :table split human optional whole = Computing, CPU wait, blocked
SELECT total_ns AS "in all!:total_ns", cpu_ns AS "computing!:cpu_ns",
	ready_ns AS "CPU wait!:ready_ns", blocked_ns AS "blocked!:blocked_ns",
	waited_ns AS "most!:waited_ns", waited_in AS "of that in!:waited_in/name",
	name AS "step!:name"
FROM marked JOIN steps_shown USING (series_id)
WHERE EXISTS (SELECT 1 FROM marked WHERE ready_ns <> 0 OR blocked_ns <> 0) ORDER BY place;

-- :plots course_plot points=60
WITH RECURSIVE span AS (SELECT place, name, sum / value_count AS mean,
	MAX(0, MIN(59, CAST(first_ns * 60.0 / :wall_ns AS INTEGER))) AS point,
	MAX(0, MIN(59, CAST(last_ns * 60.0 / :wall_ns AS INTEGER))) AS last
	FROM courses JOIN steps_shown USING (series_id) JOIN drifts USING (series_id)
	WHERE place <= 6 AND value_count > 0 AND :wall_ns > 0),
drawn AS (SELECT * FROM span
	UNION ALL SELECT place, name, mean, point + 1, last FROM drawn WHERE point < last),
curve AS (SELECT place, name, point, MAX(mean) AS value, MAX(MAX(mean)) OVER
	(PARTITION BY place) AS peak FROM drawn GROUP BY place, point)
SELECT place AS "plot/id", name AS title, 'ns' AS unit, point AS "point/id",
	value AS "value/any", peak AS "peak/any", :wall_ns AS span_ns
FROM curve WHERE peak > 0 ORDER BY place;

-- clock is for people: it has the day if that differs from the day of the run's start.
-- :table step_extremes quiet whole = Slowest and fastest steps
SELECT CASE e.is_slowest WHEN 1 THEN 'slowest' ELSE 'fastest' END AS "!:which",
	e.rank AS ".rank", e.duration_ns AS "took!:duration_ns",
	e.step_index AS "no.!:step_index/count", e.started_ns AS "at!:started_ns",
	strftime(CASE WHEN date(r.started_utc) = date(r.started_utc,
			printf('+%.3f seconds', e.started_ns / 1e9))
		THEN '%H:%M:%fZ' ELSE '%Y-%m-%d %H:%M:%fZ' END, r.started_utc,
		printf('+%.3f seconds', e.started_ns / 1e9)) AS "UTC:~clock",
	strftime('%Y-%m-%dT%H:%M:%fZ', r.started_utc,
		printf('+%.3f seconds', e.started_ns / 1e9)) AS ".started_utc",
	e.live_bytes AS "live:live_bytes", p.pid AS ".pid", e.cpu_ns AS ".cpu_ns",
	e.ready_ns AS "CPU wait!:?ready_ns", e.blocked_ns AS "blocked!:?blocked_ns",
	IFNULL(waited_ns, 0) AS ".waited_ns", waited_in AS "mostly in!:?waited_in/name",
	e.name AS "step!:name", e.process_id AS ".process_id", e.series_id AS ".series_id"
FROM step_extremes e JOIN runs r USING (run_id)
	JOIN processes p ON p.process_id = e.process_id JOIN steps_shown s USING (series_id)
	-- fast steps have no wait recorded
	LEFT JOIN waits w ON w.series_id = e.series_id AND w.rank = e.rank AND e.is_slowest = 1
WHERE e.run_id = :run AND e.of_process_id IS NULL AND s.place <= limit_of(5)
ORDER BY s.place, e.is_slowest DESC, e.rank;

-- :table step_spans machine whole
SELECT name, number AS "number/id", first_ns, last_ns, value_count, sum AS "sum/any",
	live_bytes, series_id
FROM courses WHERE kind = 'step' ORDER BY series_id, number;

-- :table counters sort quiet rows=20 order=series_id noun=counter = Counters
SELECT counter_count AS "count!:counter_count", per_second AS "per second:~rate/rate",
	per_second AS ".per_second/any", per_second * 3600 AS ".per_hour/any",
	mean AS "mean!:~mean_text/figure", p50 AS "median!:~p50_text/figure",
	p95 AS "p95:~p95_text/figure", p99 AS "p99:~p99_text/figure",
	min AS "min!:~min_text/figure", max AS "max!:~max_text/figure", mean AS ".mean/any",
	p50 AS ".p50/any", p90 AS ".p90/any", p95 AS ".p95/any", p99 AS ".p99/any",
	min AS ".min/any", max AS ".max/any", sum AS ".sum/any",
	drift_percent AS "drift:~drift/drift", drift_percent AS ".drift_percent/any",
	first_ns AS ".first_ns", last_ns AS ".last_ns", process_count AS ".process_count",
	name AS "counter!:name", series_id AS ".series_id"
FROM counted ORDER BY counter_count DESC, name;

-- Longer figures do not fit beside a plot.
-- :plots course_plot points=60
WITH RECURSIVE span AS (SELECT place, name, sum / value_count AS mean,
	MAX(0, MIN(59, CAST(first_ns * 60.0 / :wall_ns AS INTEGER))) AS point,
	MAX(0, MIN(59, CAST(last_ns * 60.0 / :wall_ns AS INTEGER))) AS last
	FROM courses JOIN counters_shown USING (series_id) JOIN drifts USING (series_id)
	WHERE place <= 6 AND value_count > 0 AND :wall_ns > 0),
drawn AS (SELECT * FROM span
	UNION ALL SELECT place, name, mean, point + 1, last FROM drawn WHERE point < last),
curve AS (SELECT place, name, point, MAX(mean) AS value, MAX(MAX(mean)) OVER
	(PARTITION BY place) AS peak FROM drawn GROUP BY place, point)
SELECT place AS "plot/id", name AS title, 'figure' AS unit, point AS "point/id",
	value AS "value/any", CAST(printf('%.4g', peak) AS REAL) AS "peak/any", :wall_ns AS span_ns
FROM curve WHERE peak > 0 AND peak < 1e9 ORDER BY place;

-- :table counter_extremes quiet whole = Highest and lowest values
SELECT CASE e.is_highest WHEN 1 THEN 'highest' ELSE 'lowest' END AS "!:which",
	e.rank AS ".rank", e.value AS "value!:~value_text/figure", e.value AS ".value/any",
	e.counter_index AS "no.!:counter_index/count", e.time_ns AS "at!:time_ns",
	strftime(CASE WHEN date(r.started_utc) = date(r.started_utc,
			printf('+%.3f seconds', e.time_ns / 1e9))
		THEN '%H:%M:%fZ' ELSE '%Y-%m-%d %H:%M:%fZ' END, r.started_utc,
		printf('+%.3f seconds', e.time_ns / 1e9)) AS "UTC!:~clock",
	strftime('%Y-%m-%dT%H:%M:%fZ', r.started_utc,
		printf('+%.3f seconds', e.time_ns / 1e9)) AS ".time_utc",
	p.pid AS ".pid", e.name AS "counter!:name", e.process_id AS ".process_id",
	e.series_id AS ".series_id"
FROM counter_extremes e JOIN runs r USING (run_id)
	JOIN processes p ON p.process_id = e.process_id JOIN counters_shown s USING (series_id)
WHERE e.run_id = :run AND e.of_process_id IS NULL AND s.place <= limit_of(5)
ORDER BY s.place, e.is_highest DESC, e.rank;

-- :table counter_spans machine whole
SELECT name, number AS "number/id", first_ns, last_ns, value_count, sum AS "sum/any",
	live_bytes, series_id
FROM courses WHERE kind = 'counter' ORDER BY series_id, number;

-- Marks are raw clock times: they include what recording took in between.
-- :note hooks_in_steps
SELECT 'Durations and rates include the time of the hooks, {hooks_percent} of the
	run''s {thread_count|wall time|threads'' time}.' AS text,
	:hooks_percent AS hooks_percent, :hooks_error_percent AS hooks_error_percent,
	MAX(:thread_count, 1) AS thread_count
WHERE :hooks_percent + :hooks_error_percent >= 1 AND EXISTS (SELECT 1 FROM marked);

-- :note no_steps warning empty
SELECT 'The run has no steps and no counters.' AS text,
	'Mark the iterations of a loop with profshim_step("name") of profshim.h, and record
	numbers with profshim_counter("name", value).' AS advice
WHERE NOT EXISTS (SELECT 1 FROM marked) AND NOT EXISTS (SELECT 1 FROM counted);
