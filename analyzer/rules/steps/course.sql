-- SPDX-License-Identifier: MIT
-- Steps over the run.

-- :name steps
SELECT name, series_id, timed_count, total_ns, p50_ns, p90_ns, p95_ns, p99_ns, max_ns
FROM step_totals WHERE run_id = :run AND process_id IS NULL
ORDER BY total_ns DESC, series_id;

-- What is live belongs to a process.
-- :name process_steps
SELECT name, series_id, timed_count, total_ns, p50_ns, p90_ns, p95_ns, p99_ns, max_ns
FROM step_totals
WHERE run_id = :run AND process_id IS NOT NULL ORDER BY name, series_id;

-- :name spans
SELECT timed_count, CAST(total_ns AS REAL) AS span_ns, live_bytes, last_ns FROM step_spans
WHERE run_id = :run AND series_id = :series AND timed_count > 0 ORDER BY number;

-- :name slowest
SELECT duration_ns, started_ns, step_index FROM step_extremes
WHERE run_id = :run AND series_id = :series AND is_slowest = 1 ORDER BY rank;
