-- SPDX-License-Identifier: MIT
-- Who slept in which call of libc, or in code of its own.

-- The thread that a process begins and ends with is the one that the run waits for. A run
-- with one lane has no path_lane.
-- :name waits
WITH first AS (SELECT DISTINCT t.lane_id FROM thread t JOIN process p USING (process_id)
		WHERE t.run_id = :run AND t.tid = p.pid),
spent AS (SELECT s.path_id, s.calls, s.self_blocked_ns AS blocked_ns,
		s.lane_id IN first AS is_first
	FROM path p JOIN path_lane s USING (path_id)
	WHERE p.run_id = :run AND s.self_blocked_ns > 0
	UNION ALL
	SELECT p.path_id, p.calls, p.self_blocked_ns, 1 FROM path p
	WHERE p.run_id = :run AND p.self_blocked_ns > 0
		AND NOT EXISTS (SELECT 1 FROM path_lane s WHERE s.path_id = p.path_id))
SELECT COALESCE(c.path_id, p.path_id) AS path_id,
	COALESCE(c.function_id, p.function_id) AS function_id,
	CASE WHEN p.kind >= 3 THEN f.name END AS callee,
	SUM(s.calls) AS calls, SUM(s.blocked_ns) AS blocked_ns,
	SUM(s.calls * s.is_first) AS first_calls,
	SUM(s.blocked_ns * s.is_first) AS first_blocked_ns,
	MAX(CASE WHEN p.kind >= 3 THEN p.max_ns
		WHEN s.calls <= 1 THEN s.blocked_ns END) AS longest_ns,
	MAX(s.blocked_ns) AS most_ns
FROM spent s JOIN path p USING (path_id) JOIN function f USING (function_id)
LEFT JOIN path c ON p.kind >= 3 AND c.path_id = p.parent_path_id
GROUP BY 2, 3 HAVING SUM(s.blocked_ns) >= :least
ORDER BY SUM(s.blocked_ns) DESC, 2, 3;
