-- SPDX-License-Identifier: MIT
-- What the next build could leave out.

-- All of them: a word must not take another one along. A region is no function.
-- :name functions
SELECT f.function_id, f.name, f.full_name, f.file, f.line, f.calls, f.self_ns, f.self_error_ns,
	f.alloc_count, f.p99_ns, f.module IS NOT NULL AS is_function, f.naming = 'exact' AS is_named,
	COALESCE(c.counted_calls, 0) AS counted_calls
FROM functions f LEFT JOIN (SELECT function_id, SUM(counted_calls) AS counted_calls
	FROM recordings WHERE run_id = :run GROUP BY function_id) c
	ON c.function_id = f.function_id
WHERE f.run_id = :run AND f.recording != 'unwound' ORDER BY f.function_id;
