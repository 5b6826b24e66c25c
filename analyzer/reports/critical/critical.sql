-- SPDX-License-Identifier: MIT
-- The input of the critical path: one process with several threads.

-- The process with several threads at a time that ran longest.
-- :name process
SELECT p.process_id, p.pid, p.started_ns, p.wall_ns, COUNT(*) AS thread_count
FROM processes p JOIN threads t USING (run_id, process_id) WHERE p.run_id = :run
GROUP BY p.process_id HAVING COUNT(DISTINCT t.lane_id) > 1
ORDER BY p.wall_ns DESC, p.process_id LIMIT 1;

-- :name threads
SELECT t.thread_id, t.lane_id, t.started_ns, t.wall_ns,
	t.tid = p.pid AS is_first, t.has_ended_process
FROM threads t JOIN processes p USING (run_id, process_id)
WHERE t.run_id = :run AND t.process_id = :process ORDER BY t.started_ns, t.thread_id;

-- :name stalls
SELECT lane_id, started_ns, wait_ns, kind, lock_id, waiter_path_id, holder_lane_id,
	IFNULL(holder_path_id, taken_path_id) AS holder_path_id
FROM stalls WHERE run_id = :run AND process_id = :process;

-- :name windows
SELECT first_ns, window_ns, period_ns FROM stall_window WHERE run_id = :run;

-- :name work
SELECT s.lane_id, s.path_id, s.self_ns, s.self_cpu_ns, s.self_ready_ns, s.self_blocked_ns
FROM path_lane s JOIN lane l USING (lane_id)
WHERE l.run_id = :run AND l.process_id = :process AND s.self_ns > 0;
