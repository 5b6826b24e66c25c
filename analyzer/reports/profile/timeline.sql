-- SPDX-License-Identifier: MIT
-- Everything in a run that has a place in time. Tracks are numbered: first the threads by lane,
-- then each thread's waits for others, then steps by name within each lane.

-- :name tracks
SELECT 0 AS kind, p.pid, t.lane_id AS track, IFNULL(t.name, 'thread') AS name,
	NULL AS detail, t.started_ns AS start_ns, t.wall_ns AS duration_ns, 0 AS value
FROM thread t JOIN process p USING (process_id) WHERE t.run_id = :run
GROUP BY t.lane_id HAVING t.thread_id = MIN(t.thread_id)
UNION ALL
SELECT 0, p.pid, t.lane_id + (SELECT MAX(lane_id) FROM lane),
	'waits of ' || IFNULL(t.name, 'thread'), NULL, t.started_ns, t.wall_ns, 0
FROM thread t JOIN process p USING (process_id) WHERE t.run_id = :run
AND t.lane_id IN (SELECT lane_id FROM stall WHERE run_id = :run)
GROUP BY t.lane_id HAVING t.thread_id = MIN(t.thread_id)
UNION ALL
SELECT 0, p.pid, s.lane_id + (SELECT MAX(lane_id) FROM lane) * (s.number + 1),
	'steps ' || s.name, NULL, 0, 0, 0
FROM (SELECT DISTINCT process_id, lane_id, name,
	DENSE_RANK() OVER (ORDER BY name) AS number FROM step WHERE run_id = :run) s
JOIN process p USING (process_id);

-- :name spans
SELECT 1 AS kind, p.pid,
	s.lane_id + (SELECT MAX(lane_id) FROM lane) * (s.number + 1) AS track,
	s.name, 'step ' || s.step_index AS detail, s.started_ns AS start_ns,
	s.duration_ns, 0 AS value
FROM (SELECT *, DENSE_RANK() OVER (ORDER BY name) AS number FROM step WHERE run_id = :run) s
JOIN process p USING (process_id)
UNION ALL
SELECT 1, p.pid, s.lane_id + (SELECT MAX(lane_id) FROM lane),
	'waits: ' || IFNULL(l.name, s.kind), f.name, s.started_ns, s.wait_ns, 0
FROM stall s JOIN process p USING (process_id)
LEFT JOIN lock l ON l.run_id = s.run_id AND l.lock_id = s.lock_id
LEFT JOIN path h ON h.path_id = s.waiter_path_id
LEFT JOIN function f ON f.function_id = h.function_id
WHERE s.run_id = :run;

-- :name calls
SELECT 4 AS kind, p.pid, s.lane_id AS track, s.name,
	LTRIM(CASE WHEN s.cpu_ns IS NULL THEN '' ELSE printf('computing %.3f ms, CPU wait %.3f ms, '
	|| 'blocked %.3f ms', s.cpu_ns / 1e6, s.ready_ns / 1e6, s.blocked_ns / 1e6) END
	|| CASE s.ended WHEN 'open' THEN ', open at the end of the process'
	WHEN 'unwound' THEN ', left by a jump or an exception' ELSE '' END
	|| IFNULL(', called at ' || h.call_file || ':' || NULLIF(h.call_line, 0), ''), ', ') AS detail,
	s.started_ns AS start_ns, s.duration_ns, 0 AS value
FROM spans s JOIN process p USING (process_id) LEFT JOIN call_paths h
	ON h.run_id = s.run_id AND h.path_id = s.path_id
WHERE s.run_id = :run AND s.kind <> 'step';

-- :name points
SELECT 2 AS kind, p.pid, 0 AS track, 'snapshot ' || s.label AS name,
	NULL AS detail, s.time_ns AS start_ns, 0 AS duration_ns, 0 AS value
FROM snapshot s JOIN process p USING (process_id) WHERE s.run_id = :run
UNION ALL
SELECT 3, p.pid, 0, 'live bytes', NULL, s.time_ns, 0, s.live_bytes
FROM snapshot s JOIN process p USING (process_id) WHERE s.run_id = :run
UNION ALL
SELECT 3, p.pid, 0, 'counter ' || c.name, NULL, c.time_ns, 0, c.value
FROM counter c JOIN process p USING (process_id) WHERE c.run_id = :run
UNION ALL
SELECT 3, p.pid, 0, 'resident bytes', NULL, r.time_ns, 0, r.rss_bytes
FROM resource r JOIN process p USING (process_id)
WHERE r.run_id = :run AND r.rss_bytes IS NOT NULL
UNION ALL
SELECT 3, p.pid, 0, 'CPU %', NULL, r.time_ns, 0, r.cpu_percent
FROM resource r JOIN process p USING (process_id)
WHERE r.run_id = :run AND r.cpu_percent IS NOT NULL
UNION ALL
SELECT 3, p.pid, 0, 'threads', NULL, r.time_ns, 0, r.thread_count
FROM resource r JOIN process p USING (process_id)
WHERE r.run_id = :run AND r.thread_count IS NOT NULL;
