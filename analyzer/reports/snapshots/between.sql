-- SPDX-License-Identifier: MIT
-- What a process had at two moments and between them, read from the table `moments_between`.

-- Moments of the process: a, b, and c, until which blocks have to survive. id is a snapshot's
-- number; 0 stands for the start and the peak, the largest integer for the exit.
-- :name moments_between
SELECT '' AS place, '' AS kind, 0 AS id, '' AS label, 0 AS number, 0 AS time_ns,
	0 AS process_id, 0 AS pid, 0 AS process_count WHERE 0;

-- What the sites of the run held at a and at b, and the frees between that decide which blocks
-- survived; see common/schema.sql. If the run has several processes, the state at this one's exit
-- is that of the paths on which it alone allocated.
-- :name sites_between
WITH held AS (SELECT place, site_id, live_count, live_bytes, alloc_count, alloc_bytes
	FROM moments_between m CROSS JOIN snapshot_site s ON s.process_id = m.process_id
		AND s.snapshot_id <= m.id AND s.until_id > m.id WHERE m.kind = 'snapshot'
UNION ALL SELECT place, site_id, at_peak_count, at_peak_bytes, 0, 0 FROM moments_between m, site s
	WHERE m.kind = 'peak' AND s.run_id = :run
UNION ALL SELECT place, site_id, live_count, live_bytes, alloc_count, alloc_bytes
	FROM moments_between m, site s WHERE m.kind = 'exit' AND s.run_id = :run
	AND (process_count <= 1 OR path_id IN (SELECT path_id FROM path_lane JOIN lane USING (lane_id)
		WHERE lane.process_id = m.process_id AND path_lane.alloc_count > 0))),
at AS (SELECT site_id, MAX(live_count) FILTER (WHERE place = 'a') AS a_live_count,
	MAX(live_bytes) FILTER (WHERE place = 'a') AS a_live_bytes,
	MAX(alloc_count) FILTER (WHERE place = 'a') AS a_alloc_count,
	MAX(alloc_bytes) FILTER (WHERE place = 'a') AS a_alloc_bytes,
	MAX(live_count) FILTER (WHERE place = 'b') AS live_count,
	MAX(live_bytes) FILTER (WHERE place = 'b') AS live_bytes,
	MAX(alloc_count) FILTER (WHERE place = 'b') AS b_alloc_count,
	MAX(alloc_bytes) FILTER (WHERE place = 'b') AS b_alloc_bytes
	FROM held GROUP BY site_id),
ids AS (SELECT process_id, MAX(id) FILTER (WHERE place = 'a') AS a,
	MAX(id) FILTER (WHERE place = 'b') AS b, MAX(id) FILTER (WHERE place = 'c') AS c
	FROM moments_between HAVING SUM(kind = 'peak') = 0),
freed AS (SELECT site_id, SUM(free_count * IIF(born_id < a, 1, -1)) AS count,
	SUM(free_bytes * IIF(born_id < a, 1, -1)) AS bytes
	FROM ids CROSS JOIN snapshot_free USING (process_id)
	WHERE (born_id < a AND freed_id >= a AND freed_id < b)
	OR (born_id >= a AND born_id < b AND freed_id >= b AND freed_id < c) GROUP BY site_id)
SELECT site_id, path_id, file, line, IFNULL(a_live_count, 0) AS a_live_count,
	IFNULL(a_live_bytes, 0) AS a_live_bytes, IFNULL(at.live_count, 0) AS live_count,
	IFNULL(at.live_bytes, 0) AS live_bytes,
	IFNULL(b_alloc_count, 0) - IFNULL(a_alloc_count, 0) AS alloc_count,
	IFNULL(b_alloc_bytes, 0) - IFNULL(a_alloc_bytes, 0) AS alloc_bytes,
	IFNULL(at.live_count, 0) - IFNULL(a_live_count, 0) + IFNULL(freed.count, 0)
	AS survived_count,
	IFNULL(at.live_bytes, 0) - IFNULL(a_live_bytes, 0) + IFNULL(freed.bytes, 0)
	AS survived_bytes
FROM site LEFT JOIN at USING (site_id) LEFT JOIN freed USING (site_id)
WHERE run_id = :run ORDER BY site_id;

-- The sums by path for the three queries below.
-- :name site_paths
SELECT path_id, SUM(alloc_count) AS alloc_count, SUM(alloc_bytes) AS alloc_bytes,
	SUM(live_bytes) AS live_bytes, SUM(a_live_bytes) AS a_live_bytes
FROM sites_between GROUP BY path_id;

-- What the paths had: at b more, at a less.
-- :name paths
SELECT IIF(place = 'a', -1, 1) AS sign, p.* FROM moments_between m CROSS JOIN snapshot_path p
	ON p.process_id = m.process_id AND p.snapshot_id <= m.id AND p.until_id > m.id
WHERE m.kind = 'snapshot' AND place <> 'c';

-- :name paths_at_exit
SELECT IIF(place = 'a', -1, 1) AS sign, p.* FROM moments_between m, path p
WHERE m.kind = 'exit' AND place <> 'c' AND process_count <= 1 AND p.run_id = :run;

-- :name lanes_at_exit
SELECT IIF(place = 'a', -1, 1) AS sign, p.* FROM moments_between m CROSS JOIN lane USING (process_id)
	CROSS JOIN path_lane p USING (lane_id)
WHERE m.kind = 'exit' AND place <> 'c' AND process_count > 1;
