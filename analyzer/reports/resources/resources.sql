-- SPDX-License-Identifier: MIT
-- What /proc and the GPU's driver said about the processes of a run.

-- :name samples
-- 0 is what the kernel says of a process that has just ended: not known.
SELECT r.process_id, p.pid, r.time_ns, r.cpu_percent, nullif(r.rss_bytes, 0) AS rss_bytes,
	r.minor_faults,
	r.major_faults, r.read_bytes, r.write_bytes, r.thread_count
FROM resources r LEFT JOIN processes p ON p.process_id = r.process_id
WHERE r.run_id = :run ORDER BY r.time_ns, r.process_id;

-- :name gpu_samples
SELECT g.process_id, p.pid, g.time_ns, g.device, g.memory_bytes, g.utilisation_percent
FROM gpu g LEFT JOIN processes p ON p.process_id = g.process_id
WHERE g.run_id = :run ORDER BY g.time_ns, g.process_id, g.device;

-- :name gpus
SELECT DISTINCT p.pid, g.device, p.executable, g.process_id
FROM gpu g LEFT JOIN processes p ON p.process_id = g.process_id
WHERE g.run_id = :run ORDER BY g.process_id, g.device;

-- :name processes
SELECT process_id, pid, executable, started_ns, wall_ns FROM processes
WHERE run_id = :run ORDER BY started_ns, process_id;
