-- SPDX-License-Identifier: MIT
-- What the writer of run.db asks and removes; its INSERTs stand in store_*.c.

-- :name table_count
SELECT COUNT(*) FROM sqlite_master;

-- :name objects
SELECT type, name, tbl_name, sql FROM sqlite_master;

-- :name run_of_token
SELECT run_id FROM run WHERE token = :token;

-- :name maxima
WITH taken AS (SELECT (SELECT MAX(run_id) FROM run) AS run_id,
	(SELECT MAX(process_id) FROM process) AS process_id,
	(SELECT MAX(lane_id) FROM lane) AS lane_id,
	(SELECT MAX(thread_id) FROM thread) AS thread_id,
	(SELECT MAX(module_id) FROM module) AS module_id,
	(SELECT MAX(function_id) FROM function) AS function_id,
	(SELECT MAX(path_id) FROM path) AS path_id,
	(SELECT MAX(site_id) FROM site) AS site_id,
	(SELECT MAX(snapshot_id) FROM snapshot) AS snapshot_id,
	(SELECT MAX(series_id) FROM series) AS series_id
	UNION ALL SELECT run_id, process_id, lane_id, thread_id, module_id, function_id,
		path_id, site_id, snapshot_id, series_id FROM storing)
SELECT IFNULL(MAX(run_id), 0), IFNULL(MAX(process_id), 0), IFNULL(MAX(lane_id), 0),
	IFNULL(MAX(thread_id), 0), IFNULL(MAX(module_id), 0), IFNULL(MAX(function_id), 0),
	IFNULL(MAX(path_id), 0), IFNULL(MAX(site_id), 0), IFNULL(MAX(snapshot_id), 0),
	IFNULL(MAX(series_id), 0) FROM taken;

-- :name announce
-- bound in this order
INSERT INTO storing VALUES (:run, :token, :now, :process, :lane, :thread, :module,
	:function, :path, :site, :snapshot, :series);

-- :name dead
SELECT run_id FROM storing
WHERE token = :token OR ABS(:now - touched) > :dead
LIMIT 1;

-- :name touch
UPDATE storing SET touched = :now WHERE run_id = :run;

-- :name claim
SELECT 1 FROM storing WHERE run_id = :run AND token = :token;

-- :name unclaim
DELETE FROM storing WHERE run_id = :run;

-- :name path_range
SELECT MAX(path_id), COUNT(*) FROM
	(SELECT path_id FROM path WHERE run_id = :run AND path_id >= :low
	ORDER BY path_id LIMIT :limit);

-- :name remove_run
DELETE FROM run WHERE run_id = :run;

-- :name remove_shares
DELETE FROM path_lane WHERE path_id BETWEEN :low AND :high AND path_id IN
	(SELECT path_id FROM path WHERE path_id BETWEEN :low AND :high
	AND run_id = :run);
