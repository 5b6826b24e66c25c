-- SPDX-License-Identifier: MIT
-- What is there to be judged.

-- :name exists
SELECT EXISTS (SELECT 1 FROM step_totals WHERE run_id = :run) AS has_steps,
	EXISTS (SELECT 1 FROM path WHERE run_id = :run AND kind >= 3) AS has_libc,
	(SELECT TOTAL(value)
	FROM trust WHERE run_id = :run AND name = 'unseen_ends') AS unseen_ends;

-- Functions that could have computed for long, and of whose time no more is known: too
-- few samples found them, or there are none, or hooks took what was recorded.
-- :name unjudged
SELECT name FROM functions
WHERE run_id = :run AND calls > 0 AND self_error_ns > 0 AND self_ns <= self_error_ns
	AND self_ns + self_error_ns >= :least_ns
ORDER BY is_library, self_ns + self_error_ns DESC, function_id;
