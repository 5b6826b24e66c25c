-- SPDX-License-Identifier: MIT
-- Functions that are called very often and do very little.

-- Not of those whose time is not known: nobody knows whether they do very little, or are
-- inlined where there are no hooks.
-- :name tiny
SELECT function_id, calls, self_ns, CAST(self_ns AS REAL) / calls AS self_by_call,
	raw_self_ns - self_ns AS hooks_ns,
	file, name, CAST(self_error_ns AS REAL) / calls AS error_by_call
FROM functions
WHERE run_id = :run AND calls >= :calls AND self_ns + self_error_ns <= :mean * calls
	AND (self_ns > self_error_ns OR self_error_ns = 0)
ORDER BY calls DESC, function_id;
