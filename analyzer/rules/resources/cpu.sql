-- SPDX-License-Identifier: MIT
-- Who waited.

-- What a function waited is what its own code slept, and the calls of libc that it made.
-- :name largest
SELECT COALESCE(c.function_id, p.function_id) AS function_id,
	SUM(p.self_blocked_ns) AS blocked_ns
FROM path p LEFT JOIN path c ON p.kind >= 3 AND c.path_id = p.parent_path_id
WHERE p.run_id = :run AND p.self_blocked_ns > 0
GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1;
