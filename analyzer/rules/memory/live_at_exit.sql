-- SPDX-License-Identifier: MIT
-- :rule M6 live-at-exit: Memory live at exit
-- :about many blocks of a function are live at exit and make up much of the peak
-- :says {live_count block}, {live_bytes}, {live_count|is|are} live at exit
-- :needs allocations end
-- :through_wrappers
-- :specific 1
-- :severity at most medium
-- :limit least_share = 0.1 ratio, at most 1: live at exit as a share of the peak; with
-- several processes, of the sum of their peaks
-- :limit least_bytes = 1048576 bytes, not above matters_bytes: live at exit
-- :limit least_blocks = 100 count: blocks live at exit: fewer count as set up once
-- :limit matters_bytes = 67108864 bytes: live at exit below which the finding counts in
-- proportion
-- :limit freed_share = 0.05 ratio, at most 1: share freed above which the confidence is low
-- :evidence of_peak percent, crossed least_share: live at exit, of the peak
-- :evidence of_peaks percent, crossed least_share: live at exit, of the processes' peaks
-- :evidence live_bytes bytes, at least least_bytes: live at exit
-- :evidence live_count count, at least least_blocks: blocks
-- :evidence freed percent: freed of its allocations
-- :asks held at least least_share
-- :why these blocks were still live when the program ended
-- :advice free the blocks after their last use
-- :advice record with PROFSHIM_SNAPSHOT_EVERY=2s: snapshots tell growth from a table that
-- fills up
-- :advice bound the cache; or suppress the finding if the memory is meant to stay
-- :docs
-- At least `least_blocks` blocks, `least_bytes` and `least_share` of the peak were
-- live when the program ended. Without snapshots the data cannot distinguish a leak from
-- a cache or a table, so the rule does not call it a leak; confidence is low when more
-- than `freed_share` of the function's blocks were freed. With five snapshots, sites that
-- had 90 % of it at the middle one were set up once and are left out. A process that did
-- not end by itself: "not measured". Never more than medium: programs that end soon leave
-- their memory to the kernel on purpose (mawk, ninja and cflow do), and growth is M5's.
--
-- Saving: the live bytes, as a share of the peak; below `matters_bytes` the finding counts in
-- proportion, for 3 MiB are nobody's trouble, whatever their share.

-- :sites
-- With five or more snapshots of a process only sites that still grew in its second half
-- count: what was there at the middle one was set up once.
WITH middle AS (SELECT process_id, snapshot_id AS middle_id FROM (
	SELECT process_id, snapshot_id,
		ROW_NUMBER() OVER (PARTITION BY process_id ORDER BY snapshot_id) AS number,
		COUNT(*) OVER (PARTITION BY process_id) AS count
	FROM snapshot WHERE run_id = :run)
	WHERE count >= 5 AND number = (count + 1) / 2)
SELECT s.path_id, s.file, s.line, s.call_file, s.call_line, s.live_bytes, s.live_count, s.alloc_count AS allocs,
	s.free_count AS frees
FROM site s
WHERE s.run_id = :run AND s.live_bytes > 0
	AND (SELECT TOTAL(n.live_bytes) FROM middle m JOIN snapshot_site n
		ON n.process_id = m.process_id AND n.site_id = s.site_id
		AND n.snapshot_id <= m.middle_id AND n.until_id > m.middle_id)
		< 0.9 * s.live_bytes;

-- :query
-- A small program's memory is nobody's trouble, whatever its share of the peak. Processes that
-- did not live at the same time count in proportion. If hardly any memory was ever freed, no
-- function has the task of freeing.
SELECT owner_id, live_bytes, live_count, live_bytes / :run_peaks_bytes AS held,
	CASE WHEN :run_peaks_bytes <= :run_peak_bytes THEN MIN(1, live_bytes / :run_peaks_bytes)
		END AS of_peak,
	CASE WHEN :run_peaks_bytes > :run_peak_bytes THEN MIN(1, live_bytes / :run_peaks_bytes)
		END AS of_peaks, MIN(1, frees / allocs) AS freed,
	MIN(1, live_bytes / :run_peaks_bytes) * MIN(1, live_bytes
		* MIN(1, :run_peak_bytes / :run_peaks_bytes) / :matters_bytes) AS at_stake,
	live_bytes AS saving_bytes,
	CASE WHEN :run_peaks_bytes > :run_peak_bytes THEN :run_peaks_bytes END AS saving_of_bytes,
	CASE WHEN frees > :freed_share * allocs THEN 0 ELSE 1 END AS confidence
FROM owner ORDER BY owner_id;

-- :proof
SELECT name, file, line, live_bytes, live_count, alloc_count, free_count FROM allocation_sites
	WHERE run_id = {run}{owned} AND live_count > 0 ORDER BY 4 DESC
