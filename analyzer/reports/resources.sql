-- SPDX-License-Identifier: MIT
-- What /proc said about the processes of a run.

-- :name samples
SELECT r.process_id, p.pid, r.time_ns, r.cpu_percent, r.rss_bytes, r.minor_faults,
	r.major_faults, r.read_bytes, r.write_bytes, r.thread_count
FROM resources r LEFT JOIN processes p ON p.process_id = r.process_id
WHERE r.run_id = :run ORDER BY r.time_ns, r.process_id;

-- :name processes
SELECT process_id, pid, executable, wall_ns FROM processes
WHERE run_id = :run ORDER BY started_ns, process_id;
