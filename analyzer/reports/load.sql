-- SPDX-License-Identifier: MIT
-- The call tree of a run, whole or of one thread.

-- :name functions
SELECT function_id, name, file, line, module, component FROM functions
WHERE run_id = :run ORDER BY function_id;

-- :name regions
SELECT DISTINCT function_id FROM path WHERE run_id = :run AND kind = 2;

-- :name paths
SELECT path_id, parent_path_id, function_id, kind = 'frame', calls, total_ns, self_ns,
	alloc_count, alloc_bytes
FROM call_paths WHERE run_id = :run ORDER BY path_id;

-- :name raw_paths
SELECT path_id, parent_path_id, function_id, kind = 'frame', calls, raw_total_ns,
	raw_self_ns, alloc_count, alloc_bytes
FROM call_paths WHERE run_id = :run ORDER BY path_id;

-- A run with one lane has no path_lane: its paths are the lane's.
-- :name thread_paths
WITH wanted AS (
	SELECT DISTINCT lane_id FROM thread WHERE run_id = :run
		AND (name = :thread OR CAST(tid AS TEXT) = :thread))
SELECT p.path_id, p.parent_path_id, p.function_id, p.kind = 1, COALESCE(SUM(l.calls), 0),
	COALESCE(SUM(l.total_ns), 0), COALESCE(SUM(l.self_ns), 0),
	COALESCE(SUM(l.alloc_count), 0), COALESCE(SUM(l.alloc_bytes), 0)
FROM path p LEFT JOIN path_lane l ON l.path_id = p.path_id
	AND l.lane_id IN (SELECT lane_id FROM wanted)
WHERE p.run_id = :run GROUP BY p.path_id ORDER BY p.path_id;

-- :name lane_count
SELECT COUNT(*) FROM lane WHERE run_id = :run;

-- :name threads
SELECT name, tid, name = :thread OR CAST(tid AS TEXT) = :thread AS chosen
FROM thread WHERE run_id = :run ORDER BY chosen DESC, started_ns, thread_id;

-- Threads that were not asked for but share a lane with one that was.
-- :name sharers
SELECT COUNT(*), MIN(COALESCE(other.name, CAST(other.tid AS TEXT)))
FROM thread other WHERE other.run_id = :run
	AND NOT (COALESCE(other.name, '') = :thread OR CAST(other.tid AS TEXT) = :thread)
	AND other.lane_id IN (SELECT lane_id FROM thread WHERE run_id = :run
		AND (name = :thread OR CAST(tid AS TEXT) = :thread));
