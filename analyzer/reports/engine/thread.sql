-- SPDX-License-Identifier: MIT
-- For --thread: views that hide the public ones while a report's queries run. Durations of single
-- calls and raw clock times are kept for all threads together only.

-- :name functions
SELECT f.run_id, f.function_id, f.name, f.linkage_name, f.module, f.file, f.line,
	f.component, t.calls, t.total_ns, t.self_ns, NULL AS raw_total_ns, NULL AS raw_self_ns,
	NULL AS min_ns, NULL AS p50_ns, NULL AS p90_ns, NULL AS p95_ns, NULL AS p99_ns,
	NULL AS max_ns, t.alloc_count, t.alloc_bytes, f.recording, f.naming, t.unwound_count,
	t.self_error_ns, t.total_error_ns, t.inlined_calls, NULL AS hooked_total_ns,
	NULL AS hooked_self_ns, NULL AS hooked_raw_total_ns, NULL AS hooked_raw_self_ns,
	t.cpu_ns, t.ready_ns, t.blocked_ns, t.self_cpu_ns, t.self_ready_ns, t.self_blocked_ns,
	f.is_library, f.full_name, IFNULL(o.alloc_count, 0) AS owned_alloc_count,
	IFNULL(o.alloc_bytes, 0) AS owned_alloc_bytes, t.self_ready_error_ns
FROM (SELECT function_id, SUM(calls) AS calls, SUM(inlined_calls) AS inlined_calls,
	SUM(unwound_count) AS unwound_count, SUM(self_ns) AS self_ns,
	SUM(self_error_ns) AS self_error_ns, SUM(self_cpu_ns) AS self_cpu_ns,
	SUM(self_ready_ns) AS self_ready_ns, SUM(self_blocked_ns) AS self_blocked_ns,
	SUM(self_ready_error_ns) AS self_ready_error_ns,
	SUM(is_outermost * total_ns) AS total_ns,
	SUM(is_outermost * total_error_ns) AS total_error_ns,
	SUM(is_outermost * cpu_ns) AS cpu_ns, SUM(is_outermost * ready_ns) AS ready_ns,
	SUM(is_outermost * blocked_ns) AS blocked_ns, SUM(alloc_count) AS alloc_count,
	SUM(alloc_bytes) AS alloc_bytes FROM tree GROUP BY function_id) t
JOIN main.functions f USING (function_id)
LEFT JOIN (SELECT owner_id, SUM(alloc_count) AS alloc_count, SUM(alloc_bytes) AS alloc_bytes
	FROM tree GROUP BY owner_id) o ON o.owner_id = f.function_id
WHERE t.calls > 0 OR t.alloc_count > 0;
