-- SPDX-License-Identifier: MIT
-- Functions, flat.

-- :name all
SELECT self_ns, total_ns, calls, min_ns, p50_ns, p90_ns, p95_ns, p99_ns, max_ns,
	alloc_count, alloc_bytes, name, file, line, raw_self_ns, raw_total_ns, function_id,
	linkage_name, module, component, recording
FROM functions
WHERE run_id = :run AND (calls > 0 OR alloc_count > 0);
