-- SPDX-License-Identifier: MIT
-- Steps and counters of a run, all processes together.

-- :name steps
SELECT name, step_count, timed_count, total_ns, mean_ns, min_ns, p50_ns, p90_ns, p95_ns,
	p99_ns, max_ns, first_ns, last_ns, growth_bytes, series_id, process_count, cpu_ns,
	ready_ns, blocked_ns, 0 AS waited_ns, NULL AS waited_in
FROM step_totals LEFT JOIN (SELECT name, COUNT(*) AS process_count FROM step_totals
	WHERE run_id = :run AND process_id IS NOT NULL GROUP BY name) USING (name)
WHERE run_id = :run AND process_id IS NULL;

-- :name counters
SELECT name, counter_count, sum, mean, min, p50, p90, p95, p99, max, first_ns, last_ns,
	series_id, process_count
FROM counter_totals LEFT JOIN (SELECT name, COUNT(*) AS process_count FROM counter_totals
	WHERE run_id = :run AND process_id IS NOT NULL GROUP BY name) USING (name)
WHERE run_id = :run AND process_id IS NULL;

-- clock is for people: the day stands there when it is not that of the run's start.
-- :name step_extremes
SELECT e.series_id, e.name, CASE e.is_slowest WHEN 1 THEN 'slowest' ELSE 'fastest' END
	AS which, e.rank, e.duration_ns, e.step_index, e.started_ns,
	strftime('%Y-%m-%dT%H:%M:%fZ', r.started_utc,
		printf('+%.3f seconds', e.started_ns / 1e9)) AS started_utc,
	strftime(CASE WHEN date(r.started_utc) = date(r.started_utc,
			printf('+%.3f seconds', e.started_ns / 1e9))
		THEN '%H:%M:%fZ' ELSE '%Y-%m-%d %H:%M:%fZ' END, r.started_utc,
		printf('+%.3f seconds', e.started_ns / 1e9)) AS clock,
	e.live_bytes, p.pid, e.process_id, e.cpu_ns, e.ready_ns, e.blocked_ns,
	0 AS waited_ns, NULL AS waited_in
FROM step_extremes e JOIN runs r USING (run_id)
	JOIN processes p ON p.process_id = e.process_id
WHERE e.run_id = :run AND e.of_process_id IS NULL
ORDER BY e.series_id, e.is_slowest DESC, e.rank;

-- Where it was waited for longest, of all steps of a name and of the slowest: of a call of
-- libc, with who called it.
-- :name step_waits
SELECT w.series_id, w.rank, MAX(w.ready_ns + w.blocked_ns) AS waited_ns,
	CASE WHEN p.kind IN ('wait', 'io') AND q.name IS NOT NULL
		THEN w.waited_in || ' in ' || q.name ELSE w.waited_in END AS waited_in
FROM step_waits w JOIN call_paths p USING (run_id, path_id)
	LEFT JOIN call_paths q ON q.path_id = p.parent_path_id
WHERE w.run_id = :run AND w.of_process_id IS NULL GROUP BY w.series_id, w.rank
ORDER BY w.series_id, w.rank;

-- :name counter_extremes
SELECT e.series_id, e.name, CASE e.is_highest WHEN 1 THEN 'highest' ELSE 'lowest' END
	AS which, e.rank, e.value, e.counter_index, e.time_ns,
	strftime('%Y-%m-%dT%H:%M:%fZ', r.started_utc,
		printf('+%.3f seconds', e.time_ns / 1e9)) AS time_utc,
	strftime(CASE WHEN date(r.started_utc) = date(r.started_utc,
			printf('+%.3f seconds', e.time_ns / 1e9))
		THEN '%H:%M:%fZ' ELSE '%Y-%m-%d %H:%M:%fZ' END, r.started_utc,
		printf('+%.3f seconds', e.time_ns / 1e9)) AS clock,
	p.pid, e.process_id
FROM counter_extremes e JOIN runs r USING (run_id)
	JOIN processes p ON p.process_id = e.process_id
WHERE e.run_id = :run AND e.of_process_id IS NULL
ORDER BY e.series_id, e.is_highest DESC, e.rank;

-- :name step_spans
SELECT series_id, name, number, first_ns, last_ns, timed_count AS value_count,
	CAST(total_ns AS REAL) AS sum, live_bytes
FROM step_spans WHERE run_id = :run AND of_process_id IS NULL
ORDER BY series_id, number;

-- :name counter_spans
SELECT series_id, name, number, first_ns, last_ns, counter_count AS value_count, sum,
	live_bytes
FROM counter_spans WHERE run_id = :run AND of_process_id IS NULL
ORDER BY series_id, number;
