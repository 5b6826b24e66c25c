-- SPDX-License-Identifier: MIT
-- Sites where realloc grows blocks by little. New bytes over old ones is the mean factor
-- of a step, weighted by size; allocations that began a block make it only larger, so
-- what stays below the limit grows by less than it. Columns from the fourth: bytes copied
-- and reallocs on the busiest lane of each process; bytes copied, reallocs, old bytes, new
-- bytes.

-- :name growth
SELECT path_id, file, line, realloc_copied_bytes * share, realloc_count * share,
	realloc_copied_bytes, realloc_count, realloc_old_bytes, alloc_bytes
FROM (SELECT s.*, COALESCE(CASE (SELECT COUNT(*) FROM process WHERE run_id = :run)
		WHEN 1 THEN (SELECT MAX(l.alloc_count) * 1.0 / SUM(l.alloc_count)
			FROM path_lane l WHERE l.path_id = s.path_id)
		ELSE (SELECT SUM(most) * 1.0 / SUM(every) FROM (
			SELECT MAX(l.alloc_count) AS most, SUM(l.alloc_count) AS every
			FROM path_lane l JOIN lane USING (lane_id)
			WHERE l.path_id = s.path_id GROUP BY process_id)) END, 1) AS share
	FROM site s
	WHERE s.run_id = :run AND s.realloc_count >= 8
		AND s.alloc_bytes > s.realloc_old_bytes
		AND s.alloc_bytes < :factor * s.realloc_old_bytes);

-- :name unknown
SELECT COUNT(*) AS count FROM site
WHERE run_id = :run AND realloc_count > 0 AND realloc_old_bytes IS NULL;
