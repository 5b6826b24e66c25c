-- SPDX-License-Identifier: MIT
-- Sites by how their blocks live: temporary ones, recycled ones, and the others. A site is
-- in one of the three, so no pair of malloc and free is counted twice. Columns from the
-- fourth: pairs that the busiest lane of each process made, pairs, allocations, and what the
-- rule shows.

-- Freed at once: with at most one other allocation of the thread in between.
-- :name temporary
SELECT s.path_id, s.file, s.line,
	s.temporary_count * s.busiest,
	s.temporary_count, s.alloc_count, s.alloc_bytes
FROM site_busiest s
WHERE s.run_id = :run AND s.temporary_count >= 100
	AND s.temporary_count >= :temporary_share * s.alloc_count;

-- Allocated again and again for a few that live at a time. Blocks that go to the kernel
-- and back are big-block cycling, those that realloc makes are realloc growth.
-- :name recycled
SELECT s.path_id, s.file, s.line,
	s.free_count * s.busiest,
	s.free_count, s.alloc_count, s.alloc_bytes, s.peak_bytes
FROM site_busiest s
WHERE s.run_id = :run AND s.free_count >= 100
	AND s.alloc_bytes >= :churn_ratio * s.peak_bytes AND s.peak_bytes > 0
	AND s.alloc_bytes < :big_bytes * s.alloc_count
	AND s.temporary_count < :temporary_share * s.alloc_count
	AND 2 * s.realloc_count < s.alloc_count;

-- :name others
SELECT s.path_id, s.file, s.line,
	s.alloc_count * s.busiest,
	s.free_count, s.alloc_count, s.alloc_bytes
FROM site_busiest s
WHERE s.run_id = :run AND s.alloc_count >= 100
	AND s.alloc_bytes < :big_bytes * s.alloc_count
	AND s.temporary_count < :temporary_share * s.alloc_count
	AND 2 * s.realloc_count < s.alloc_count
	AND (s.alloc_bytes < :churn_ratio * s.peak_bytes OR s.free_count < 100);
