-- SPDX-License-Identifier: MIT
-- Functions whose calls take long on average. A root is the program or a thread itself.

-- :name functions
SELECT f.function_id, f.calls, f.total_ns, f.self_ns, f.p50_ns, f.max_ns,
	f.total_error_ns, f.self_error_ns
FROM functions f
WHERE f.run_id = :run AND f.calls > 0
	AND CAST(f.total_ns AS REAL) / f.calls > :low
	AND f.self_ns >= :own * f.total_ns
	AND EXISTS (SELECT 1 FROM path p WHERE p.run_id = :run
		AND p.function_id = f.function_id AND p.parent_path_id IS NOT NULL)
ORDER BY f.self_ns DESC, f.function_id;
