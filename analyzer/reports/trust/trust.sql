-- SPDX-License-Identifier: MIT
-- What keeps a recording from being complete and exact.

-- :name counters
SELECT name, SUM(value) AS sum, MAX(text) AS any_text FROM trust WHERE run_id = :run
GROUP BY name ORDER BY name;

-- :name ends
SELECT pid, executable, exit_code, exit_signal, complete FROM processes
WHERE run_id = :run AND complete = 0 ORDER BY started_ns, process_id;

-- Those with most calls first. The clock of since_ns is the run's.
-- :name recordings
SELECT r.function_id, r.name, f.calls, r.counted_calls, r.recording,
	r.least, r.reason, r.since_ns, r.changes, r.site_count, r.early_site_count, p.pid
FROM recordings r LEFT JOIN functions f ON f.function_id = r.function_id
LEFT JOIN processes p ON p.process_id = r.process_id
WHERE r.run_id = :run ORDER BY r.counted_calls DESC, r.name, p.pid;
