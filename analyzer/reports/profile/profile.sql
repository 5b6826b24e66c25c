-- SPDX-License-Identifier: MIT
-- What exports of a whole run read beside the call tree.

-- :name run
SELECT command, wall_ns, CAST((julianday(started_utc) - 2440587.5) * 86400000 AS INTEGER)
	AS started_ms,
	(SELECT pid FROM process WHERE run_id = :run ORDER BY process_id LIMIT 1) AS pid,
	(SELECT COUNT(*) FROM lane WHERE run_id = :run) AS lane_count
FROM run WHERE run_id = :run;

-- Several threads may have used a lane; the first one names it.
-- :name lanes
SELECT l.lane_id, p.pid, p.executable, t.tid, t.name,
	(SELECT COUNT(*) FROM thread o WHERE o.lane_id = l.lane_id) AS thread_count
FROM lane l LEFT JOIN process p USING (process_id)
LEFT JOIN thread t ON t.thread_id = (SELECT MIN(f.thread_id) FROM thread f
	WHERE f.lane_id = l.lane_id)
WHERE l.run_id = :run AND (:thread IS NULL OR EXISTS (SELECT 1 FROM thread o
	WHERE o.lane_id = l.lane_id AND (o.name = :thread
	OR CAST(o.tid AS TEXT) = :thread)))
ORDER BY l.lane_id;

-- :name lane_paths
SELECT l.* FROM path p JOIN path_lane l USING (path_id) WHERE p.run_id = :run;
