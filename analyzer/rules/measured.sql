-- SPDX-License-Identifier: MIT
-- What is there to be judged.

-- :name exists
SELECT EXISTS (SELECT 1 FROM step_totals WHERE run_id = :run) AS has_steps,
	(SELECT TOTAL(value)
	FROM trust WHERE run_id = :run AND name = 'unseen_ends') AS unseen_ends;
