-- SPDX-License-Identifier: MIT
-- The call tree of a run, whole or of one thread.

-- :name functions
SELECT function_id, name, linkage_name, module, file, line, component, is_library, self_error_ns,
	recording IN ('counted', 'off', 'sampled') AS is_estimated FROM main.functions
WHERE run_id = :run ORDER BY function_id;

-- :name kinds
SELECT DISTINCT function_id, kind = 2 AS is_region FROM path
WHERE run_id = :run AND kind >= 2;

-- :name paths
SELECT * FROM path WHERE run_id = :run ORDER BY path_id;

-- :name thread_paths
SELECT l.* FROM path p JOIN path_lane l USING (path_id)
WHERE p.run_id = :run AND l.lane_id IN (SELECT lane_id FROM thread WHERE run_id = :run
	AND (name = :thread OR CAST(tid AS TEXT) = :thread));

-- :name lane_count
SELECT COUNT(*) AS lane_count FROM lane WHERE run_id = :run;

-- :name threads
SELECT name, tid, name = :thread OR CAST(tid AS TEXT) = :thread AS chosen
FROM thread WHERE run_id = :run ORDER BY chosen DESC, started_ns, thread_id;
