-- SPDX-License-Identifier: MIT
-- What keeps a recording from being complete and exact.

-- :name counters
SELECT name, SUM(value) AS sum, MAX(text) AS any_text FROM trust WHERE run_id = :run
GROUP BY name ORDER BY name;

-- :name ends
SELECT pid, executable, exit_code, exit_signal, complete FROM processes
WHERE run_id = :run AND complete = 0 ORDER BY started_ns, process_id;
