-- SPDX-License-Identifier: MIT
-- One function, who calls it and whom it calls.

-- :name functions
SELECT function_id, name, full_name, linkage_name, file, line, calls, total_ns, self_ns, alloc_count,
	alloc_bytes, total_error_ns, self_error_ns, recording, ready_ns, blocked_ns,
	self_ready_ns, self_blocked_ns
FROM functions WHERE run_id = :run ORDER BY calls DESC, name, function_id;

-- The error of an edge is that of its callee, as far as its time is.
-- :name callers
SELECT e.caller AS name, e.caller_id AS function_id, e.calls, e.inlined_calls,
	e.total_ns, e.cpu_ns, e.ready_ns, e.blocked_ns,
	CAST(COALESCE(1.0 * f.total_error_ns * e.total_ns / NULLIF(f.total_ns, 0),
	1.0 * f.total_error_ns * e.calls / NULLIF(f.calls, 0)) AS INTEGER) AS total_error_ns
FROM call_edges e JOIN functions f ON f.function_id = e.callee_id
WHERE e.run_id = :run AND e.callee_id = :function;

-- :name callees
SELECT e.callee AS name, e.callee_id AS function_id, e.calls, e.inlined_calls,
	e.total_ns, e.cpu_ns, e.ready_ns, e.blocked_ns,
	CAST(COALESCE(1.0 * f.total_error_ns * e.total_ns / NULLIF(f.total_ns, 0),
	1.0 * f.total_error_ns * e.calls / NULLIF(f.calls, 0)) AS INTEGER) AS total_error_ns
FROM call_edges e JOIN functions f ON f.function_id = e.callee_id
WHERE e.run_id = :run AND e.caller_id = :function;

-- :name roots
SELECT COALESCE(SUM(calls), 0) AS calls, COALESCE(SUM(total_ns), 0) AS total_ns,
	COALESCE(SUM(total_error_ns), 0) AS total_error_ns,
	COALESCE(SUM(cpu_ns), 0) AS cpu_ns, COALESCE(SUM(ready_ns), 0) AS ready_ns,
	COALESCE(SUM(blocked_ns), 0) AS blocked_ns
FROM call_paths
WHERE run_id = :run AND function_id = :function AND parent_path_id IS NULL;
