-- SPDX-License-Identifier: MIT
-- What the writer of run.db asks and removes; its INSERTs stand in store_*.c.

-- :name table_count
SELECT COUNT(*) FROM sqlite_master;

-- :name objects
SELECT type, name, tbl_name, sql FROM sqlite_master;

-- :name run_of_token
SELECT run_id FROM run WHERE token = :token;

-- :name maxima
SELECT MAX((SELECT IFNULL(MAX(run_id), 0) FROM run),
		(SELECT IFNULL(MAX(run_id), 0) FROM storing)),
	MAX((SELECT IFNULL(MAX(process_id), 0) FROM process),
		(SELECT IFNULL(MAX(process_id), 0) FROM storing)),
	MAX((SELECT IFNULL(MAX(lane_id), 0) FROM lane),
		(SELECT IFNULL(MAX(lane_id), 0) FROM storing)),
	MAX((SELECT IFNULL(MAX(thread_id), 0) FROM thread),
		(SELECT IFNULL(MAX(thread_id), 0) FROM storing)),
	MAX((SELECT IFNULL(MAX(module_id), 0) FROM module),
		(SELECT IFNULL(MAX(module_id), 0) FROM storing)),
	MAX((SELECT IFNULL(MAX(function_id), 0) FROM function),
		(SELECT IFNULL(MAX(function_id), 0) FROM storing)),
	MAX((SELECT IFNULL(MAX(path_id), 0) FROM path),
		(SELECT IFNULL(MAX(path_id), 0) FROM storing)),
	MAX((SELECT IFNULL(MAX(site_id), 0) FROM site),
		(SELECT IFNULL(MAX(site_id), 0) FROM storing)),
	MAX((SELECT IFNULL(MAX(snapshot_id), 0) FROM snapshot),
		(SELECT IFNULL(MAX(snapshot_id), 0) FROM storing)),
	MAX((SELECT IFNULL(MAX(series_id), 0) FROM series),
		(SELECT IFNULL(MAX(series_id), 0) FROM storing));

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

-- Each is repeated until it finds fewer than :limit rows.
-- :name remove_rows
DELETE FROM snapshot_site WHERE (process_id, site_id, snapshot_id) IN
	(SELECT process_id, site_id, snapshot_id FROM snapshot_site WHERE process_id IN
	(SELECT process_id FROM process WHERE run_id = :run) LIMIT :limit);
DELETE FROM snapshot_path WHERE (process_id, path_id, snapshot_id) IN
	(SELECT process_id, path_id, snapshot_id FROM snapshot_path WHERE process_id IN
	(SELECT process_id FROM process WHERE run_id = :run) LIMIT :limit);
DELETE FROM snapshot_free WHERE (process_id, site_id, born_id, freed_id) IN
	(SELECT process_id, site_id, born_id, freed_id FROM snapshot_free
	WHERE process_id IN
	(SELECT process_id FROM process WHERE run_id = :run) LIMIT :limit);
DELETE FROM series_extreme WHERE (series_id, is_highest, rank) IN
	(SELECT series_id, is_highest, rank FROM series_extreme WHERE series_id IN
	(SELECT series_id FROM series WHERE run_id = :run) LIMIT :limit);
DELETE FROM series_span WHERE (series_id, number) IN
	(SELECT series_id, number FROM series_span WHERE series_id IN
	(SELECT series_id FROM series WHERE run_id = :run) LIMIT :limit);
DELETE FROM series_wait WHERE rowid IN
	(SELECT rowid FROM series_wait WHERE series_id IN
	(SELECT series_id FROM series WHERE run_id = :run) LIMIT :limit);
DELETE FROM edge WHERE (run_id, caller_id, callee_id) IN
	(SELECT run_id, caller_id, callee_id FROM edge WHERE run_id = :run LIMIT :limit);
DELETE FROM transfer WHERE (run_id, process_id, path_id, target_id) IN
	(SELECT run_id, process_id, path_id, target_id FROM transfer
	WHERE run_id = :run LIMIT :limit);
DELETE FROM sample WHERE rowid IN
	(SELECT rowid FROM sample WHERE run_id = :run LIMIT :limit);
DELETE FROM target WHERE (run_id, target_id) IN
	(SELECT run_id, target_id FROM target WHERE run_id = :run LIMIT :limit);
DELETE FROM study_part WHERE (run_id, study_id, case_id, path_id) IN
	(SELECT run_id, study_id, case_id, path_id FROM study_part
	WHERE run_id = :run LIMIT :limit);
DELETE FROM study_case WHERE (run_id, study_id, case_id) IN
	(SELECT run_id, study_id, case_id FROM study_case WHERE run_id = :run LIMIT :limit);
DELETE FROM study WHERE (run_id, study_id) IN
	(SELECT run_id, study_id FROM study WHERE run_id = :run LIMIT :limit);
DELETE FROM snapshot WHERE rowid IN
	(SELECT rowid FROM snapshot WHERE run_id = :run LIMIT :limit);
DELETE FROM series WHERE rowid IN
	(SELECT rowid FROM series WHERE run_id = :run LIMIT :limit);
DELETE FROM step WHERE rowid IN
	(SELECT rowid FROM step WHERE run_id = :run LIMIT :limit);
DELETE FROM counter WHERE rowid IN
	(SELECT rowid FROM counter WHERE run_id = :run LIMIT :limit);
DELETE FROM resource WHERE rowid IN
	(SELECT rowid FROM resource WHERE run_id = :run LIMIT :limit);
DELETE FROM gpu_sample WHERE rowid IN
	(SELECT rowid FROM gpu_sample WHERE run_id = :run LIMIT :limit);
DELETE FROM mode WHERE rowid IN
	(SELECT rowid FROM mode WHERE run_id = :run LIMIT :limit);
DELETE FROM lock WHERE rowid IN
	(SELECT rowid FROM lock WHERE run_id = :run LIMIT :limit);
DELETE FROM lock_wait WHERE rowid IN
	(SELECT rowid FROM lock_wait WHERE run_id = :run LIMIT :limit);
DELETE FROM stall WHERE rowid IN
	(SELECT rowid FROM stall WHERE run_id = :run LIMIT :limit);
DELETE FROM stall_window WHERE rowid IN
	(SELECT rowid FROM stall_window WHERE run_id = :run LIMIT :limit);
DELETE FROM span WHERE rowid IN
	(SELECT rowid FROM span WHERE run_id = :run LIMIT :limit);
DELETE FROM trust WHERE rowid IN
	(SELECT rowid FROM trust WHERE run_id = :run LIMIT :limit);
DELETE FROM site WHERE rowid IN
	(SELECT rowid FROM site WHERE run_id = :run LIMIT :limit);
DELETE FROM path WHERE rowid IN
	(SELECT rowid FROM path WHERE run_id = :run LIMIT :limit);
DELETE FROM function WHERE rowid IN
	(SELECT rowid FROM function WHERE run_id = :run LIMIT :limit);
DELETE FROM module WHERE rowid IN
	(SELECT rowid FROM module WHERE run_id = :run LIMIT :limit);
DELETE FROM thread WHERE rowid IN
	(SELECT rowid FROM thread WHERE run_id = :run LIMIT :limit);
DELETE FROM lane WHERE rowid IN
	(SELECT rowid FROM lane WHERE run_id = :run LIMIT :limit);
DELETE FROM process WHERE rowid IN
	(SELECT rowid FROM process WHERE run_id = :run LIMIT :limit);
