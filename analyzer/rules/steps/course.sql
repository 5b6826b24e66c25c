-- SPDX-License-Identifier: MIT
-- Steps over the run. What a step waited for a CPU is not the program's: total_ns, span_ns
-- and duration_ns are without; percentiles and max_ns are not.

-- :name steps
SELECT name, series_id, timed_count, total_ns - COALESCE(ready_ns, 0) AS total_ns,
	COALESCE(ready_ns, 0) AS ready_ns, p50_ns, p90_ns, p95_ns, p99_ns, max_ns
FROM step_totals WHERE run_id = :run AND process_id IS NULL
ORDER BY step_totals.total_ns DESC, series_id;

-- What is live belongs to a process.
-- :name process_steps
SELECT name, series_id, timed_count, total_ns - COALESCE(ready_ns, 0) AS total_ns,
	COALESCE(ready_ns, 0) AS ready_ns, p50_ns, p90_ns, p95_ns, p99_ns, max_ns
FROM step_totals
WHERE run_id = :run AND process_id IS NOT NULL ORDER BY name, series_id;

-- :name spans
SELECT timed_count, CAST(total_ns - COALESCE(ready_ns, 0) AS REAL) AS span_ns,
	live_bytes, last_ns
FROM step_spans
WHERE run_id = :run AND series_id = :series AND timed_count > 0 ORDER BY number;

-- :name slowest
SELECT duration_ns - COALESCE(ready_ns, 0) AS duration_ns, started_ns FROM step_extremes
WHERE run_id = :run AND series_id = :series AND is_slowest = 1 ORDER BY rank;
