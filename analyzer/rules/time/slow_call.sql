-- SPDX-License-Identifier: MIT
-- Functions whose calls take long on average. A root is the program or a thread itself.

-- Waits for a CPU are not theirs.
-- :name functions
SELECT f.function_id, f.calls, f.total_ns - f.ready_ns AS total_ns,
	f.self_ns - f.self_ready_ns - f.self_blocked_ns AS own_ns, f.p50_ns, f.max_ns,
	f.total_error_ns
FROM functions f
WHERE f.run_id = :run AND f.calls > 0
	AND CAST(f.total_ns - f.ready_ns AS REAL) / f.calls > :low
	AND f.self_ns - f.self_ready_ns - f.self_blocked_ns
		>= :own * (f.total_ns - f.ready_ns)
	AND EXISTS (SELECT 1 FROM path p WHERE p.run_id = :run
		AND p.function_id = f.function_id AND p.parent_path_id IS NOT NULL)
ORDER BY own_ns DESC, f.function_id;
