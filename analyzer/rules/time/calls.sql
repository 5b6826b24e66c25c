-- SPDX-License-Identifier: MIT
-- Functions that are called very often and do very little.

-- What is inlined already is no call. Not of those whose time is not known: nobody knows
-- whether they do very little, or are inlined where there are no hooks.
-- :name tiny
SELECT function_id, calls - inlined_calls AS calls, inlined_calls,
	self_ns - self_ready_ns - self_blocked_ns AS cpu_ns,
	CAST(self_ns - self_ready_ns - self_blocked_ns AS REAL) / (calls - inlined_calls)
	AS cpu_by_call,
	raw_self_ns - self_ns AS hooks_ns,
	file, name, CAST(self_error_ns AS REAL) / (calls - inlined_calls) AS error_by_call
FROM functions
WHERE run_id = :run AND calls - inlined_calls >= :calls
	AND self_ns - self_ready_ns - self_blocked_ns + self_error_ns
		<= :mean * (calls - inlined_calls)
	AND (self_ns > self_error_ns OR self_error_ns = 0)
ORDER BY calls - inlined_calls DESC, function_id;
