-- SPDX-License-Identifier: MIT
-- Functions with much time of their own.

-- children_ns: what is below, with the hooks' cost, as max_ns has it.
-- :name functions
SELECT function_id, calls, self_ns, total_ns, max_ns, raw_total_ns - raw_self_ns
	AS children_ns, p50_ns, raw_self_ns - self_ns AS hooks_ns, raw_total_ns,
	alloc_count, self_error_ns, total_error_ns
FROM functions
WHERE run_id = :run AND calls > 0 AND self_ns >= :least
ORDER BY self_ns DESC, function_id;
