-- SPDX-License-Identifier: MIT
-- What ran before main().

-- path_ids of a thread rise in the order in which its paths were first entered, so what
-- the constructors called stands before main(), and what exit handlers called behind it.
-- A run with one lane has no path_lane.
-- :name before_main
SELECT p.path_id, MAX(0, p.total_ns - p.ready_ns - p.total_error_ns) AS total_ns FROM path p
WHERE p.run_id = :run AND p.parent_path_id IS NULL AND p.kind = 0 AND p.path_id < :main
	AND (NOT EXISTS (SELECT 1 FROM path_lane WHERE path_id = :main)
	OR EXISTS (SELECT 1 FROM path_lane a JOIN path_lane b USING (lane_id)
		WHERE a.path_id = p.path_id AND b.path_id = :main))
ORDER BY p.total_ns DESC, p.path_id;

-- :name first_step
SELECT s.name, MIN(s.first_ns - p.started_ns) AS first_ns, p.started_ns
FROM step_totals s JOIN processes p USING (process_id)
WHERE s.run_id = :run AND p.parent_process_id IS NULL;
