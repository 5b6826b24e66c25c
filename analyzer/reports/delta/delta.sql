-- SPDX-License-Identifier: MIT
-- What a process had at a moment: at a snapshot, at the run's peak, at its end.

-- :name sites
SELECT site_id, path_id, file, line FROM site WHERE run_id = :run ORDER BY site_id;

-- :name sites_at
SELECT site_id, live_count, live_bytes, alloc_count, alloc_bytes FROM snapshot_site
WHERE process_id = :process AND snapshot_id <= :at AND until_id > :at;

-- :name sites_at_peak
SELECT site_id, at_peak_count AS live_count, at_peak_bytes AS live_bytes,
	0 AS alloc_count, 0 AS alloc_bytes FROM site WHERE run_id = :run;

-- :name sites_at_exit
SELECT site_id, live_count, live_bytes, alloc_count, alloc_bytes FROM site
WHERE run_id = :run;

-- Of one of several processes: of the paths that it allocated on (and no other did).
-- :name sites_at_its_exit
SELECT site_id, live_count, live_bytes, alloc_count, alloc_bytes FROM site
WHERE run_id = :run AND path_id IN (SELECT l.path_id
	FROM path_lane l JOIN lane USING (lane_id)
	WHERE lane.process_id = :process AND l.alloc_count > 0);

-- The frees that decide who survived, see common/schema.sql.
-- :name frees
SELECT site_id, born_id < :a AS is_old, free_count, free_bytes FROM snapshot_free
WHERE process_id = :process AND (
	(born_id < :a AND freed_id >= :a AND freed_id < :b)
	OR (born_id >= :a AND born_id < :b AND freed_id >= :b AND freed_id < :c));

-- :name paths_at
SELECT * FROM snapshot_path
WHERE process_id = :process AND snapshot_id <= :at AND until_id > :at;

-- Calls without a frame, of which snapshots have none.
-- :name counted_calls
SELECT TOTAL(value) AS counted_calls FROM trust
WHERE run_id = :run AND name = 'counted_calls';

-- :name paths_at_exit
SELECT * FROM path WHERE run_id = :run;

-- :name lanes_at_exit
SELECT * FROM path_lane
WHERE lane_id IN (SELECT lane_id FROM lane WHERE process_id = :process);
