-- SPDX-License-Identifier: MIT
-- Processes whose end left blocks live that they might have freed.

-- :name unfinished
SELECT pid, exit_signal, live_bytes_at_exit FROM processes
WHERE run_id = :run AND complete = 0 AND live_bytes_at_exit > 0
ORDER BY started_ns, process_id;
