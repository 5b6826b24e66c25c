-- SPDX-License-Identifier: MIT
-- :rule M12 never-freed: Memory that one function never frees
-- :about a function's blocks are never freed though the program frees nearly all others
-- :says never frees its {live_count block}, {live_bytes}
-- :needs allocations end
-- :through_wrappers
-- :specific 2
-- :explains M6
-- :severity at least low, at most medium
-- :limit least_blocks = 1000 count: blocks that are live at the exit
-- :limit least_bytes = 65536 bytes, not above matters_bytes: the same
-- :limit most_freed = 0.01 ratio, at most 1: share of the function's blocks that is freed
-- :limit least_others = 1000 count: blocks of other functions, which tell what the program does
-- with its memory
-- :limit others_freed = 0.9 ratio, at most 1: share of them that is freed
-- :limit matters_bytes = 67108864 bytes: live at exit below which it counts in proportion
-- :evidence live_bytes bytes, at least least_bytes: live at exit
-- :evidence live_count count, at least least_blocks: blocks
-- :evidence freed percent, at most most_freed: freed of its allocations
-- :evidence others_freed percent, at least others_freed: freed of all others
-- :evidence held percent: live at exit, of the peak
-- :asks others at least least_others
-- :advice free the blocks after their last use
-- :advice if they are kept on purpose, suppress the finding with a reason
-- :docs
-- At least `least_blocks` blocks and `least_bytes` of a function were live when the program
-- ended, at most `most_freed` of its blocks were ever freed, and of `least_others` blocks of all
-- other functions `others_freed` were. So the program does free its memory, and what this
-- function allocates it forgets; a program that leaves all of it to the kernel is none of this
-- (M6 may speak). Confidence is high when live memory grew from step to step, too (S3), else
-- medium, and the severity never more than medium: a table that is filled and kept looks the same. With five snapshots, sites that had
-- 90 % of it at the middle one were set up once and are left out. A process that did not end by
-- itself: "not measured". It takes in what M6 finds in the function.
--
-- Saving: the live bytes, as a share of the peak; below `matters_bytes` the finding counts in
-- proportion, but it is at least low: a leak of a small run is one of a long run, too.

-- :sites
WITH middle AS (SELECT process_id, snapshot_id AS middle_id FROM (
	SELECT process_id, snapshot_id,
		ROW_NUMBER() OVER (PARTITION BY process_id ORDER BY snapshot_id) AS number,
		COUNT(*) OVER (PARTITION BY process_id) AS count
	FROM snapshot WHERE run_id = :run)
	WHERE count >= 5 AND number = (count + 1) / 2)
SELECT s.path_id, s.file, s.line, CASE WHEN (SELECT TOTAL(n.live_bytes)
			FROM middle m JOIN snapshot_site n
			ON n.process_id = m.process_id AND n.site_id = s.site_id
			AND n.snapshot_id <= m.middle_id AND n.until_id > m.middle_id)
		< 0.9 * s.live_bytes THEN s.live_bytes ELSE 0 END AS live_bytes,
	s.live_count, s.alloc_count AS allocs, s.free_count AS frees
FROM site s WHERE s.run_id = :run AND s.alloc_count > 0;

-- :query
SELECT o.owner_id, o.live_bytes, o.live_count, MIN(1, o.frees / o.allocs) AS freed,
	a.allocs - o.allocs AS others,
	MIN(1, (a.frees - o.frees) / MAX(1, a.allocs - o.allocs)) AS others_freed,
	MIN(1, o.live_bytes / :run_peaks_bytes) AS held,
	MIN(1, o.live_bytes / :run_peaks_bytes) * MIN(1, o.live_bytes / :matters_bytes) AS at_stake,
	o.live_bytes AS saving_bytes,
	CASE WHEN :run_peaks_bytes > :run_peak_bytes THEN :run_peaks_bytes END AS saving_of_bytes,
	CASE WHEN is_found('S3', 0) THEN 2 ELSE 1 END AS confidence,
	'its blocks are never freed, while the program frees nearly all others'
	|| CASE WHEN is_found('S3', 0) THEN '; live memory grows from step to step' ELSE '' END
	AS why
FROM owner o JOIN every_owner a ORDER BY o.owner_id;

-- :proof
SELECT name, file, line, live_bytes, live_count, alloc_count, free_count FROM allocation_sites
	WHERE run_id = {run}{owned} AND live_count > 0 ORDER BY 4 DESC
