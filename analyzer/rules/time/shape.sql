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

-- ready_ns: what the first thread waited for a CPU in all, less what it did in its steps: how
-- much of it came behind the last of them is not known. Steps inside others wait with them,
-- so those of the name that waited most count. Which thread made all steps of a name is not
-- known: the slowest and the fastest tell.
-- :name first_step
SELECT s.name, MIN(s.first_ns - p.started_ns) AS first_ns,
	COALESCE(t.ready_ns, 0) - COALESCE((SELECT MAX(o.ready_ns) FROM step_totals o
		WHERE o.run_id = :run AND o.process_id = s.process_id AND NOT EXISTS (
			SELECT 1 FROM step_extremes e WHERE e.run_id = :run
			AND e.series_id = o.series_id AND e.lane_id IS NOT t.lane_id)), 0) AS ready_ns
FROM step_totals s JOIN processes p USING (process_id)
	LEFT JOIN threads t ON t.process_id = p.process_id AND t.tid = p.pid
WHERE s.run_id = :run AND p.parent_process_id IS NULL;
