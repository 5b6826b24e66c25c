-- SPDX-License-Identifier: MIT
-- Functions whose time is not known well, and that much points to.

-- left_ns: what all functions computed, without the hooks. by_time: the error of a function's
-- part of that, by the part.
-- :name functions
WITH sums AS (SELECT TOTAL(MAX(0, self_ns - self_ready_ns - self_blocked_ns)) AS left_ns,
		(SELECT calls FROM made WHERE function_id = 0) AS calls
	FROM functions WHERE run_id = :run),
parts AS (SELECT f.function_id, f.calls, m.calls AS made,
		f.self_ns - f.self_ready_ns - f.self_blocked_ns AS cpu_ns, f.self_error_ns
	FROM functions f JOIN made m USING (function_id)
	WHERE f.run_id = :run AND f.calls > 0 AND NOT f.is_library)
SELECT function_id, p.calls, made, 1.0 * made / s.calls AS made_part,
	1.0 * made / p.calls AS made_per_call, cpu_ns, self_error_ns AS cpu_ns_error,
	cpu_ns / left_ns AS self_part, 1.0 * self_error_ns / cpu_ns AS by_time,
	:assumed_gain * made / s.calls AS at_stake, 0 AS confidence
FROM parts p, sums s
WHERE cpu_ns > 0 AND left_ns > 0 AND s.calls > 0
ORDER BY made DESC, function_id;
