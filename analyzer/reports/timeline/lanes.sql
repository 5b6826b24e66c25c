-- SPDX-License-Identifier: MIT
-- Slow calls and what else has a place in time. Columns that several have: lane_id and
-- what stands beside it name the lane, started_ns and duration_ns the time.

-- :name slow
SELECT s.span_id, s.started_ns, s.duration_ns, s.call_ns, s.cpu_ns, s.ready_ns,
	s.blocked_ns, s.name, s.kind, s.ended, p.pid, t.tid, t.name AS thread, s.process_id,
	s.thread_id, s.lane_id, s.path_id, s.function_id
FROM spans s JOIN process p USING (process_id) LEFT JOIN thread t USING (thread_id)
WHERE s.run_id = :run AND s.started_ns <= :to AND s.started_ns + s.duration_ns >= :from
AND (:thread IS NULL OR t.name = :thread OR CAST(t.tid AS TEXT) = :thread)
ORDER BY p.pid, s.lane_id, s.thread_id, s.started_ns, s.duration_ns DESC;

-- :name stalls
SELECT s.started_ns, s.wait_ns AS duration_ns, IFNULL(l.name, s.kind) AS name, p.pid,
	t.tid, t.name AS thread
FROM stall s JOIN process p USING (process_id)
LEFT JOIN lock l ON l.run_id = s.run_id AND l.lock_id = s.lock_id
LEFT JOIN thread t ON t.thread_id = (SELECT MAX(thread_id) FROM thread u
	WHERE u.lane_id = s.lane_id AND u.started_ns <= s.started_ns)
WHERE s.run_id = :run AND s.kind NOT IN ('sleep', 'call')
AND s.started_ns <= :to AND s.started_ns + s.wait_ns >= :from
AND (:thread IS NULL OR t.name = :thread OR CAST(t.tid AS TEXT) = :thread)
ORDER BY p.pid, s.lane_id, t.thread_id, s.started_ns;

-- :name snapshots
SELECT s.time_ns AS started_ns, 0 AS duration_ns, s.label AS name, p.pid, NULL AS tid,
	NULL AS thread
FROM snapshot s JOIN process p USING (process_id)
WHERE s.run_id = :run AND s.time_ns BETWEEN :from AND :to ORDER BY p.pid, s.time_ns;

-- :name facts
SELECT (SELECT value FROM trust WHERE run_id = :run AND name = 'span_floor_ns') AS floor_ns,
	(SELECT value FROM trust WHERE run_id = :run AND name = 'spans_complete_ns')
	AS complete_ns,
	(SELECT SUM(value) FROM trust WHERE run_id = :run
	AND name IN ('thinned_spans', 'lost_spans')) AS dropped_count,
	(SELECT COUNT(*) FROM span WHERE run_id = :run) AS kept_count,
	(SELECT SUM(wall_ns) FROM thread WHERE run_id = :run) AS thread_ns,
	(SELECT COUNT(*) FROM process WHERE run_id = :run) AS process_count;
