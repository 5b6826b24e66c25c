-- SPDX-License-Identifier: MIT
-- Functions that computed for much time of their own.

-- children_ns: what is below, with the hooks' cost, as max_ns has it.
-- :name functions
SELECT function_id, calls, self_ns, self_ready_ns, self_blocked_ns, total_ns, ready_ns, blocked_ns, max_ns, raw_total_ns - raw_self_ns
	AS children_ns, p50_ns, raw_self_ns - self_ns AS hooks_ns,
	alloc_count, self_error_ns
FROM functions
WHERE run_id = :run AND calls > 0 AND self_ns - self_ready_ns - self_blocked_ns >= :least
ORDER BY self_ns - self_ready_ns - self_blocked_ns DESC, function_id;
