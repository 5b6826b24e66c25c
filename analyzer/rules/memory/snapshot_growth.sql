-- SPDX-License-Identifier: MIT
-- :rule M5 snapshot-growth: Live memory grows over the snapshots
-- :about a function's live bytes rise over five or more snapshots and do not level off
-- :says its live memory grows by {grown_bytes} over {snapshots snapshot}
-- :needs allocations
-- :through_wrappers
-- :specific 2
-- :limit least_bytes = 1048576 bytes: growth from the first to the last snapshot
-- :limit least_share = 0.05 ratio, at most 1: the same as a share of the peak; with several
-- processes, of the sum of their peaks
-- :evidence grown_bytes bytes, at least least: growth from the first to the last snapshot
-- :evidence last_bytes bytes: live at the last
-- :evidence of_peak percent: share of the peak
-- :evidence of_peaks percent: share of the processes' peaks
-- :evidence snapshots count: snapshots
-- :why its live bytes rise over the snapshots and do not level off
-- :advice find who should free the blocks: 'prof-analyze leaks'
-- :advice bound the container: drop the oldest entries
-- :advice if it is meant to grow, suppress the finding with a reason
-- :docs Live bytes of a site over five or more snapshots of a process rise, by the classes
-- of `prof-analyze leaks` (growing; not one-off, saturating, freed at end), from the first
-- to the last by `least_bytes` and `least_share` of the peak. Confidence is high when the
-- trend has p <= 0.01 at every site. Of more than 64 snapshots, 64 that are evenly spaced
-- are used.
--
-- Saving: the growth. Fewer than five snapshots: "not measured".

-- :unmeasured
SELECT 'no process has five snapshots (PROFSHIM_SNAPSHOT_EVERY=2s takes them)'
WHERE NOT EXISTS (SELECT 1 FROM snapshot WHERE run_id = :run
	GROUP BY process_id HAVING COUNT(*) >= 5);

-- :sites
-- Live bytes by snapshot of each process, for sites that have some at the last one. At most 64
-- snapshots are used, evenly spaced: the work for a site grows with their square.
WITH RECURSIVE shots AS (SELECT process_id, snapshot_id, time_ns / 1e9 AS seconds,
		ROW_NUMBER() OVER (PARTITION BY process_id ORDER BY snapshot_id) - 1 AS place,
		COUNT(*) OVER (PARTITION BY process_id) AS count
	FROM snapshot WHERE run_id = :run),
numbers AS (SELECT 0 AS number UNION ALL SELECT number + 1 FROM numbers WHERE number < 63),
points AS (SELECT process_id, snapshot_id, seconds, number
	FROM shots JOIN numbers ON place = number * (count - 1) / (MIN(count, 64) - 1)
	WHERE count >= 5 AND number < MIN(count, 64)),
last AS (SELECT process_id, MAX(snapshot_id) AS last_id FROM points GROUP BY 1),
alive AS (SELECT e.process_id, e.site_id, (SELECT TOTAL(x.free_bytes) FROM snapshot_free x
		WHERE x.process_id = e.process_id AND x.site_id = e.site_id
			AND x.freed_id >= last_id) AS freed_bytes
	FROM last JOIN snapshot_site e USING (process_id)
	WHERE e.snapshot_id <= last_id AND e.until_id > last_id AND e.live_bytes > 0),
course AS (SELECT a.process_id, a.site_id, a.freed_bytes, p.number, p.seconds,
		IFNULL((SELECT n.live_bytes FROM snapshot_site n WHERE n.process_id = a.process_id
			AND n.site_id = a.site_id AND n.snapshot_id <= p.snapshot_id
			AND n.until_id > p.snapshot_id), 0) AS bytes
	FROM alive a JOIN points p USING (process_id)),
sites AS (SELECT site_id, bytes AS last_bytes, MAX(number),
		bytes - SUM(CASE number WHEN 0 THEN bytes END) AS grown_bytes,
		growth(seconds, bytes, freed_bytes) AS course
	FROM course GROUP BY process_id, site_id)
SELECT s.path_id, s.file, s.line, s.call_file, s.call_line, grown_bytes, last_bytes, course ->> 2 > 0.01 AS uncertain
FROM sites c JOIN site s USING (site_id) WHERE grown_bytes > 0 AND c.course ->> 0 = 'growing';

-- :query
SELECT owner_id, grown_bytes, last_bytes, MAX(:least_bytes, :least_share * :run_peaks_bytes) AS least,
	CASE WHEN :run_peaks_bytes <= :run_peak_bytes THEN MIN(1, grown_bytes / :run_peaks_bytes)
		END AS of_peak,
	CASE WHEN :run_peaks_bytes > :run_peak_bytes THEN MIN(1, grown_bytes / :run_peaks_bytes)
		END AS of_peaks, :snapshots AS snapshots, grown_bytes AS saving_bytes,
	:run_peaks_bytes AS of_bytes,
	CASE WHEN :run_peaks_bytes > :run_peak_bytes THEN :run_peaks_bytes END AS saving_of_bytes,
	CASE WHEN uncertain > 0 THEN 1 ELSE 2 END AS confidence
FROM owner ORDER BY owner_id;

-- :proof
SELECT t.process_id, t.number, t.time_ns, SUM(n.live_bytes) AS live_bytes, SUM(n.live_count) AS
	live_count FROM snapshots t JOIN snapshot_sites n USING (run_id, snapshot_id) WHERE t.run_id =
	{run} AND n.path_id IN below GROUP BY t.snapshot_id ORDER BY t.snapshot_id
