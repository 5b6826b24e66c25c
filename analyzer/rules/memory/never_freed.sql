-- SPDX-License-Identifier: MIT
-- :rule M12 never-freed: Memory that one function never frees
-- :about a function's blocks are never freed, while the program frees nearly all others
-- :needs allocations end
-- :through_wrappers
-- :specific 2
-- :explains M6
-- :severity at least low, at most high
-- :limit least_blocks = 1000 count: blocks that are live at the exit
-- :limit least_bytes = 65536 bytes, not above matters_bytes: the same
-- :limit most_freed = 0.01 ratio, at most 1: largest share of the function's blocks that is
-- freed; with more, others_all of the others must be
-- :limit least_others = 1000 count: blocks of other functions, which tell what the program does
-- with its memory
-- :limit others_freed = 0.9 ratio, at most 1: share of them that is freed
-- :limit others_all = 0.99 ratio, at most 1: the same where the function frees most of its own,
-- and forgets some
-- :limit rising_part = 0.25 ratio, at most 1: growth of the resident set in the second half
-- of the run over what is live at the exit, from which memory is said to rise to the end
-- :limit matters_bytes = 67108864 bytes: live at exit below which the finding counts in
-- proportion
-- :evidence live_bytes bytes, at least least_bytes: live at exit
-- :evidence live_count count, at least least_blocks: blocks
-- :evidence freed percent: freed of its allocations
-- :evidence others_freed percent, at least least_others_freed: freed of all others
-- :evidence minute_bytes bytes: left per minute
-- :evidence held percent: live at exit, of the peak
-- :asks others at least least_others
-- :advice free the blocks after their last use
-- :advice if they are kept on purpose, suppress the finding with a reason
-- :docs At least `least_blocks` blocks and `least_bytes` of a function were live when the
-- program ended, at most `most_freed` of its blocks were ever freed, and of `least_others`
-- blocks of all other functions `others_freed` were. So the program frees its memory but
-- forgets this function's blocks; a program that leaves everything to the kernel is not
-- meant (M6 may report it). If a run has several programs, such as a script and what it
-- starts, the one with the most allocations is judged. A function that frees most of its
-- blocks and forgets some is reported when `others_all` of all others are freed. Confidence
-- is high when memory rises to the end, by the steps (S3) or by the resident set
-- (`rising_part`); then a leak of a small run is rated by what it would leave in a minute.
-- Else it is medium, low where most of the blocks are freed, and so is the severity: a
-- table that is filled and kept looks the same. With five snapshots, sites that had 90 % of
-- it at the middle one were set up once and are left out. A process that did not end by
-- itself: "not measured". It replaces M6's finding on the function.
--
-- Saving: the live bytes, as a share of the peak; below `matters_bytes` the finding counts in
-- proportion, but it is at least low: a leak of a small run is one of a long run, too.

-- :sites
WITH middle AS (SELECT process_id, snapshot_id AS middle_id FROM (
	SELECT process_id, snapshot_id,
		ROW_NUMBER() OVER (PARTITION BY process_id ORDER BY snapshot_id) AS number,
		COUNT(*) OVER (PARTITION BY process_id) AS count
	FROM snapshot WHERE run_id = :run)
	WHERE count >= 5 AND number = (count + 1) / 2),
programs AS (SELECT executable FROM process WHERE run_id = :run GROUP BY 1
	ORDER BY TOTAL(alloc_count) DESC, 1),
theirs AS (SELECT path_id FROM path_lane JOIN lane USING (lane_id) JOIN process p USING (process_id)
	WHERE p.run_id = :run AND p.executable IS (SELECT executable FROM programs))
SELECT s.path_id, s.file, s.line, s.call_file, s.call_line, CASE WHEN (SELECT TOTAL(n.live_bytes)
			FROM middle m JOIN snapshot_site n
			ON n.process_id = m.process_id AND n.site_id = s.site_id
			AND n.snapshot_id <= m.middle_id AND n.until_id > m.middle_id)
		< 0.9 * s.live_bytes THEN s.live_bytes ELSE 0 END AS live_bytes,
	s.live_count, s.alloc_count AS allocs, s.free_count AS frees,
	(s.live_count > 0) * s.alloc_count AS left_allocs,
	(s.live_count > 0) * s.free_count AS left_frees
FROM site s WHERE s.run_id = :run AND s.alloc_count > 0
	AND ((SELECT COUNT(*) FROM programs) < 2 OR s.path_id IN theirs);

-- :query
-- rising: the resident set grew in the second half, too. A table gets filled and stays.
WITH looks AS (SELECT process_id, time_ns, rss_bytes, MAX(time_ns) OVER (PARTITION BY process_id)
		AS end_ns FROM resources WHERE run_id = :run AND rss_bytes > 0),
halves AS (SELECT MAX(CASE WHEN time_ns = end_ns THEN rss_bytes END)
		- MAX(CASE WHEN time_ns <= end_ns / 2 THEN rss_bytes END) AS bytes
	FROM looks GROUP BY process_id HAVING COUNT(*) >= 4),
rise AS (SELECT TOTAL(MAX(0, bytes)) AS rise_bytes FROM halves),
parts AS (SELECT o.*, a.allocs - o.left_allocs AS others,
		MIN(1, o.left_frees / MAX(1, o.left_allocs)) AS freed,
		MIN(1, (a.frees - o.left_frees) / MAX(1, a.allocs - o.left_allocs)) AS others_freed,
		is_found('S3', 0) OR rise_bytes >= :rising_part * o.live_bytes AS rising,
		MIN(1, o.live_bytes / :run_peaks_bytes) AS held,
		IIF(:wall_ns >= 1e9, MAX(1, 60e9 / :wall_ns), 1) AS by_minute
	FROM owner o, every_owner a, rise)
SELECT owner_id, live_bytes, live_count, freed, others, others_freed, held,
	CASE WHEN freed <= :most_freed THEN :others_freed ELSE :others_all END AS least_others_freed,
	CASE WHEN rising AND by_minute > 1 THEN live_bytes * by_minute END AS minute_bytes,
	CASE WHEN rising THEN held * MIN(1, live_bytes * by_minute / :matters_bytes)
		ELSE MIN(0.1, held * MIN(1, live_bytes / :matters_bytes)) END AS at_stake,
	live_bytes AS saving_bytes,
	CASE WHEN :run_peaks_bytes > :run_peak_bytes THEN :run_peaks_bytes END AS saving_of_bytes,
	CASE WHEN rising THEN 2 ELSE freed <= :most_freed END AS confidence,
	CASE WHEN freed <= :most_freed THEN 'never frees its {live_count block}, {live_bytes}'
		ELSE 'leaves {live_count block} unfreed, {live_bytes}, and frees the others' END AS says,
	CASE WHEN freed <= :most_freed THEN 'its blocks are never freed'
		ELSE 'some of its blocks are never freed' END
	|| ', while the program frees nearly all others'
	|| CASE WHEN rising THEN '; memory rises to the end of the run' ELSE '' END AS why
FROM parts ORDER BY owner_id;

-- :proof
SELECT name, file, line, live_bytes, live_count, alloc_count, free_count FROM allocation_sites
	WHERE run_id = {run}{owned} AND live_count > 0 ORDER BY 4 DESC
