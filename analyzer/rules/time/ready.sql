-- SPDX-License-Identifier: MIT
-- Waits for a CPU over time.

-- :name samples
SELECT r.process_id, p.started_ns, r.time_ns, COALESCE(r.cpu_wait_ns, 0) AS cpu_wait_ns
FROM resources r JOIN processes p ON p.process_id = r.process_id
WHERE r.run_id = :run ORDER BY r.process_id, r.time_ns;
