-- SPDX-License-Identifier: MIT
-- Who has what is live at the exit and at the peak.

-- Of sites with snapshots (five or more of a process) only those that still gained in the
-- second half: what was there at the middle one was set up once.
-- :name at_exit
WITH middle AS (SELECT process_id, snapshot_id AS middle_id FROM (
	SELECT process_id, snapshot_id,
		ROW_NUMBER() OVER (PARTITION BY process_id ORDER BY snapshot_id) AS number,
		COUNT(*) OVER (PARTITION BY process_id) AS count
	FROM snapshot WHERE run_id = :run)
	WHERE count >= 5 AND number = (count + 1) / 2)
SELECT s.path_id, s.file, s.line, s.live_bytes, s.live_count, s.alloc_count, s.free_count
FROM site s
WHERE s.run_id = :run AND s.live_bytes > 0
	AND (SELECT TOTAL(n.live_bytes) FROM middle m JOIN snapshot_site n
		ON n.process_id = m.process_id AND n.site_id = s.site_id
		AND n.snapshot_id <= m.middle_id AND n.until_id > m.middle_id)
		< 0.9 * s.live_bytes;

-- :name at_peak
SELECT path_id, file, line, at_peak_bytes, at_peak_count
FROM site
WHERE run_id = :run AND at_peak_bytes > 0;
