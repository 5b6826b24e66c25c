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

-- Of the headers' code in objects that have others', too: a library with hooks of its own is
-- what somebody wants to see, and what is called in libc is recorded without.
-- :name headers
SELECT TOTAL(calls) AS calls FROM function WHERE run_id = :run AND is_library = 1
	AND module_id IN (SELECT module_id FROM function WHERE run_id = :run AND is_library = 0
		AND calls > 0) AND function_id NOT IN (SELECT function_id FROM path
		WHERE run_id = :run AND kind >= 2);

-- What to leave out first: most calls, each of little time. A region is no function.
-- :name tiny
SELECT name, calls FROM functions
WHERE run_id = :run AND calls > 0 AND module IS NOT NULL
	AND self_ns < 3 * :cost * calls AND naming = 'exact'
ORDER BY calls DESC, function_id LIMIT 5;
