-- SPDX-License-Identifier: MIT
-- How good a recording is.

-- :name counters
SELECT name, SUM(value) AS sum FROM trust WHERE run_id = :run GROUP BY name
	HAVING SUM(value) > 0
ORDER BY name;

-- Time of functions whose address has no name.
-- :name unresolved
SELECT TOTAL(self_ns) AS self_ns FROM functions
WHERE run_id = :run AND calls > 0 AND naming = 'none';

-- What to leave out first: most calls, each of little time. A region is no function.
-- :name tiny
SELECT name, calls FROM functions
WHERE run_id = :run AND calls > 0 AND module IS NOT NULL
	AND self_ns < 3 * :cost * calls AND naming = 'exact'
ORDER BY calls DESC, function_id LIMIT 5;
