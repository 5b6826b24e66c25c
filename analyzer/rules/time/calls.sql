-- SPDX-License-Identifier: MIT
-- Functions that are called very often and do very little.

-- :name tiny
SELECT function_id, calls, self_ns, CAST(self_ns AS REAL) / calls AS self_by_call,
	raw_self_ns - self_ns AS hooks_ns,
	file, name
FROM functions
WHERE run_id = :run AND calls >= :calls AND self_ns <= :mean * calls
ORDER BY calls DESC, function_id;
