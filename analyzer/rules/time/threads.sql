-- SPDX-License-Identifier: MIT
-- Threads that began in the same function, of one process.

-- :name groups
SELECT p.path_id, l.process_id, COUNT(*) AS thread_count, MAX(s.total_ns - s.ready_ns - s.blocked_ns) AS longest_ns,
	SUM(s.total_ns - s.ready_ns - s.blocked_ns) AS sum_ns, MAX(s.total_error_ns) AS error_ns,
	MAX(s.ready_ns) AS ready_ns
FROM path p JOIN path_lane s USING (path_id) JOIN lane l USING (lane_id)
WHERE p.run_id = :run AND p.parent_path_id IS NULL AND p.kind = 0 AND s.calls > 0
GROUP BY p.path_id, l.process_id HAVING COUNT(*) >= 2
ORDER BY longest_ns DESC, p.path_id;
