-- SPDX-License-Identifier: MIT
-- What the writer of run.db asks and removes; its INSERTs stand in store_*.c.

-- :name table_count
SELECT COUNT(*) FROM sqlite_master;

-- :name run_count
SELECT COUNT(*) FROM run;

-- :name run_of_token
SELECT run_id FROM run WHERE token = :token;

-- :name maxima
SELECT (SELECT IFNULL(MAX(run_id), 0) FROM run),
	(SELECT IFNULL(MAX(process_id), 0) FROM process),
	(SELECT IFNULL(MAX(lane_id), 0) FROM lane),
	(SELECT IFNULL(MAX(thread_id), 0) FROM thread),
	(SELECT IFNULL(MAX(module_id), 0) FROM module),
	(SELECT IFNULL(MAX(function_id), 0) FROM function),
	(SELECT IFNULL(MAX(path_id), 0) FROM path),
	(SELECT IFNULL(MAX(site_id), 0) FROM site),
	(SELECT IFNULL(MAX(snapshot_id), 0) FROM snapshot),
	(SELECT IFNULL(MAX(series_id), 0) FROM series);

-- :name remove_run
DELETE FROM path_lane WHERE path_id IN (SELECT path_id FROM path WHERE run_id = :run);
DELETE FROM snapshot_site WHERE process_id IN
	(SELECT process_id FROM process WHERE run_id = :run);
DELETE FROM snapshot_path WHERE process_id IN
	(SELECT process_id FROM process WHERE run_id = :run);
DELETE FROM snapshot_free WHERE process_id IN
	(SELECT process_id FROM process WHERE run_id = :run);
DELETE FROM snapshot WHERE run_id = :run;
DELETE FROM series_extreme WHERE series_id IN
	(SELECT series_id FROM series WHERE run_id = :run);
DELETE FROM series_span WHERE series_id IN
	(SELECT series_id FROM series WHERE run_id = :run);
DELETE FROM series WHERE run_id = :run;
DELETE FROM step WHERE run_id = :run;
DELETE FROM counter WHERE run_id = :run;
DELETE FROM resource WHERE run_id = :run;
DELETE FROM gpu_sample WHERE run_id = :run;
DELETE FROM trust WHERE run_id = :run;
DELETE FROM site WHERE run_id = :run;
DELETE FROM edge WHERE run_id = :run;
DELETE FROM path WHERE run_id = :run;
DELETE FROM function WHERE run_id = :run;
DELETE FROM module WHERE run_id = :run;
DELETE FROM thread WHERE run_id = :run;
DELETE FROM lane WHERE run_id = :run;
DELETE FROM process WHERE run_id = :run;
DELETE FROM run WHERE run_id = :run;
