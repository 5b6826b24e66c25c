-- SPDX-License-Identifier: MIT
-- What is there to be judged.

-- :name exists
SELECT EXISTS (SELECT 1 FROM step_totals WHERE run_id = :run) AS has_steps,
	EXISTS (SELECT 1 FROM path WHERE run_id = :run AND kind >= 3) AS has_libc,
	(SELECT TOTAL(value)
	FROM trust WHERE run_id = :run AND name = 'unseen_ends') AS unseen_ends;

-- Functions of whose time less is left than the hooks' cost is known to, and that could
-- have computed for long. What was only counted had little subtracted, but little left.
-- :name unjudged
SELECT name, MAX(raw_self_ns, self_ns + self_error_ns) AS raw_ns, MAX(0, self_ns) AS left_ns
FROM functions
WHERE run_id = :run AND calls > 0 AND self_error_ns > 0 AND self_ns <= self_error_ns
	AND self_ns + self_error_ns >= :least_ns
ORDER BY is_library, self_ns + self_error_ns DESC, function_id;
