-- SPDX-License-Identifier: MIT
-- One function, who calls it and whom it calls.

-- :name functions
SELECT function_id, name, linkage_name, file, line, calls, total_ns, self_ns, alloc_count,
	alloc_bytes
FROM functions WHERE run_id = :run ORDER BY calls DESC, name, function_id;

-- :name callers
SELECT caller AS name, caller_id AS function_id, calls, total_ns
FROM call_edges WHERE run_id = :run AND callee_id = :function;

-- :name callees
SELECT callee AS name, callee_id AS function_id, calls, total_ns
FROM call_edges WHERE run_id = :run AND caller_id = :function;

-- :name roots
SELECT COALESCE(SUM(calls), 0) AS calls, COALESCE(SUM(total_ns), 0) AS total_ns
	FROM call_paths
WHERE run_id = :run AND function_id = :function AND parent_path_id IS NULL;
