-- SPDX-License-Identifier: MIT
-- What is there to be judged.

-- :name exists
SELECT EXISTS (SELECT 1 FROM step_totals WHERE run_id = :run) AS has_steps,
	EXISTS (SELECT 1 FROM path WHERE run_id = :run AND kind >= 3) AS has_libc,
	(SELECT TOTAL(value)
	FROM trust WHERE run_id = :run AND name = 'unseen_ends') AS unseen_ends;
