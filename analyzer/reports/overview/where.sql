-- SPDX-License-Identifier: MIT
-- What the threads slept in.

-- :name calls
SELECT f.name, CASE p.kind WHEN 3 THEN 'wait' ELSE 'io' END AS kind, SUM(p.calls) AS calls,
	SUM(p.self_blocked_ns) AS blocked_ns
FROM path p JOIN function f USING (function_id)
WHERE p.run_id = :run AND p.kind >= 3 AND p.self_blocked_ns > 0
GROUP BY f.name, p.kind ORDER BY blocked_ns DESC, f.name LIMIT 3;
