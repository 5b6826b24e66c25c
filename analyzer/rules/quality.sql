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

-- What to leave out first: those that exclude-list names (is_worth_it() in its choose.c), not
-- the hottest. A region is no function. cost: of a call with a frame, counted: of one that is only counted.
-- :name tiny
SELECT name, calls FROM (SELECT f.*, COALESCE((SELECT SUM(r.counted_calls) FROM recordings r
		WHERE r.run_id = :run AND r.function_id = f.function_id), 0) AS counted_calls
	FROM functions f WHERE f.run_id = :run AND f.calls > 0 AND f.module IS NOT NULL
		AND f.naming = 'exact' AND f.recording != 'unwound')
WHERE alloc_count * 100 < calls
	AND (calls * :cost > self_ns OR p99_ns < :cost OR self_ns <= self_error_ns)
	AND function_id <> IFNULL((SELECT function_id FROM functions WHERE run_id = :run
			AND calls > 0 AND self_ns > self_error_ns
			AND recording != 'unwound'
		ORDER BY self_ns DESC, function_id LIMIT 1), 0)
	AND calls * :cost - MIN(calls, counted_calls) * (:cost - :counted) >= 0.005 * :hooks
ORDER BY calls DESC, function_id LIMIT 5;
