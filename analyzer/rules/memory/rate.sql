-- SPDX-License-Identifier: MIT
-- Sites by how their blocks live: temporary ones, recycled ones, and the others. A site is
-- in one of the three, so no pair of malloc and free is counted twice. Columns from the
-- fourth: pairs that the busiest lane of each process made, pairs, allocations, and what the
-- rule shows.

-- Freed at once: with at most one other allocation of the thread in between.
-- :name temporary
SELECT s.path_id, s.file, s.line,
	s.temporary_count * COALESCE(CASE (SELECT COUNT(*)
	FROM process WHERE run_id = :run)
		WHEN 1 THEN (SELECT MAX(l.alloc_count) * 1.0 / SUM(l.alloc_count)
			FROM path_lane l WHERE l.path_id = s.path_id)
		ELSE (SELECT SUM(most) * 1.0 / SUM(every) FROM (
			SELECT MAX(l.alloc_count) AS most, SUM(l.alloc_count) AS every
			FROM path_lane l JOIN lane USING (lane_id)
			WHERE l.path_id = s.path_id GROUP BY process_id)) END, 1),
	s.temporary_count, s.alloc_count, s.alloc_bytes
FROM site s
WHERE s.run_id = :run AND s.temporary_count >= 100
	AND s.temporary_count >= :temporary * s.alloc_count;

-- Allocated again and again for a few that live at a time. Blocks that go to the kernel
-- and back are big-block cycling, those that realloc makes are realloc growth.
-- :name recycled
SELECT s.path_id, s.file, s.line,
	s.free_count * COALESCE(CASE (SELECT COUNT(*) FROM process WHERE run_id = :run)
		WHEN 1 THEN (SELECT MAX(l.alloc_count) * 1.0 / SUM(l.alloc_count)
			FROM path_lane l WHERE l.path_id = s.path_id)
		ELSE (SELECT SUM(most) * 1.0 / SUM(every) FROM (
			SELECT MAX(l.alloc_count) AS most, SUM(l.alloc_count) AS every
			FROM path_lane l JOIN lane USING (lane_id)
			WHERE l.path_id = s.path_id GROUP BY process_id)) END, 1),
	s.free_count, s.alloc_count, s.alloc_bytes, s.peak_bytes
FROM site s
WHERE s.run_id = :run AND s.free_count >= 100
	AND s.alloc_bytes >= :ratio * s.peak_bytes AND s.peak_bytes > 0
	AND s.alloc_bytes < :big * s.alloc_count
	AND s.temporary_count < :temporary * s.alloc_count
	AND 2 * s.realloc_count < s.alloc_count;

-- :name others
SELECT s.path_id, s.file, s.line,
	s.alloc_count * COALESCE(CASE (SELECT COUNT(*) FROM process WHERE run_id = :run)
		WHEN 1 THEN (SELECT MAX(l.alloc_count) * 1.0 / SUM(l.alloc_count)
			FROM path_lane l WHERE l.path_id = s.path_id)
		ELSE (SELECT SUM(most) * 1.0 / SUM(every) FROM (
			SELECT MAX(l.alloc_count) AS most, SUM(l.alloc_count) AS every
			FROM path_lane l JOIN lane USING (lane_id)
			WHERE l.path_id = s.path_id GROUP BY process_id)) END, 1),
	s.free_count, s.alloc_count, s.alloc_bytes
FROM site s
WHERE s.run_id = :run AND s.alloc_count >= 100
	AND s.alloc_bytes < :big * s.alloc_count
	AND s.temporary_count < :temporary * s.alloc_count
	AND 2 * s.realloc_count < s.alloc_count
	AND (s.alloc_bytes < :ratio * s.peak_bytes OR s.free_count < 100);
