-- SPDX-License-Identifier: MIT
-- :export jsonl
-- :takes run
-- :about
-- one line of JSON for each run of the file (with --run for that run alone), for experiment
-- trackers: flat names, numbers in ns, bytes and counts, and the run's label, command and
-- host. It has the functions with at least 0.5 % of the run's self time, calls or allocated
-- bytes, under names such as functions/NAME/calls; the error of an estimated time is beside
-- it. Values that were not measured are absent.

-- :with chosen
SELECT * FROM runs WHERE run_id = :run OR NOT :is_run_chosen

-- Functions of one name together, since a tracker has one curve for a name.
-- :with named
SELECT run_id, IFNULL(full_name, '?') AS name, SUM(calls) AS calls, SUM(self_ns) AS self_ns,
	SUM(self_error_ns) AS self_error_ns, SUM(total_ns) AS total_ns,
	SUM(alloc_count) AS alloc_count, SUM(alloc_bytes) AS alloc_bytes
FROM functions WHERE run_id IN (SELECT run_id FROM chosen) GROUP BY 1, 2

-- :with sums
SELECT run_id, SUM(calls) AS calls, SUM(self_ns) AS self_ns, SUM(self_error_ns) AS self_error_ns,
	SUM(alloc_bytes) AS alloc_bytes FROM named GROUP BY 1

-- :with told
SELECT n.* FROM named n JOIN sums s USING (run_id)
WHERE n.self_ns >= 0.005 * s.self_ns AND n.self_ns > 0
	OR n.calls >= 0.005 * s.calls AND n.calls > 0
	OR n.alloc_bytes >= 0.005 * s.alloc_bytes AND n.alloc_bytes > 0

-- The first nine metrics keep this order; the others follow by name.
-- :with metrics
SELECT run_id, 1 AS place, 'run_id' AS name, run_id AS value FROM chosen
UNION ALL SELECT run_id, 2, 'label', label FROM chosen
UNION ALL SELECT run_id, 3, 'command', command FROM chosen
UNION ALL SELECT run_id, 4, 'host', host FROM chosen
UNION ALL SELECT run_id, 5, 'started_utc', started_utc FROM chosen
UNION ALL SELECT run_id, 6, 'level', level FROM chosen
UNION ALL SELECT run_id, 7, 'complete', complete FROM chosen
UNION ALL SELECT run_id, 8, 'exit_code', exit_code FROM chosen
UNION ALL SELECT run_id, 9, 'wall_ns', wall_ns FROM chosen
UNION ALL SELECT run_id, 10, 'calls', calls FROM sums
UNION ALL SELECT run_id, 10, 'self_ns', self_ns FROM sums
UNION ALL SELECT run_id, 10, 'self_error_ns', NULLIF(self_error_ns, 0) FROM sums
UNION ALL SELECT run_id, 10, 'alloc_count', alloc_count FROM chosen
UNION ALL SELECT run_id, 10, 'alloc_bytes', alloc_bytes FROM chosen
UNION ALL SELECT run_id, 10, 'free_count', free_count FROM chosen
UNION ALL SELECT run_id, 10, 'peak_bytes', peak_bytes FROM chosen
UNION ALL SELECT run_id, 10, 'live_bytes_at_exit', live_bytes_at_exit FROM chosen
UNION ALL SELECT run_id, 10, 'cpu_ns', SUM(cpu_ns) FROM threads GROUP BY 1
UNION ALL SELECT run_id, 10, 'ready_ns', SUM(ready_ns) FROM threads GROUP BY 1
UNION ALL SELECT run_id, 10, 'blocked_ns', SUM(blocked_ns) FROM threads GROUP BY 1
UNION ALL SELECT run_id, 10, 'rss_peak_bytes', MAX(rss_bytes) FROM resources GROUP BY 1
UNION ALL SELECT run_id, 10, 'trust/' || name, SUM(value) FROM trust WHERE value > 0
	AND name IN ('dropped_allocations', 'folded_paths', 'repaired_frames', 'orphan_exits',
		'lost_frees', 'unknown_frees', 'late_events') GROUP BY run_id, name
UNION ALL SELECT run_id, 10, 'functions/' || name || '/calls', NULLIF(calls, 0) FROM told
UNION ALL SELECT run_id, 10, 'functions/' || name || '/self_ns', NULLIF(self_ns, 0) FROM told
UNION ALL SELECT run_id, 10, 'functions/' || name || '/self_error_ns',
	NULLIF(self_error_ns, 0) FROM told
UNION ALL SELECT run_id, 10, 'functions/' || name || '/total_ns', NULLIF(total_ns, 0) FROM told
UNION ALL SELECT run_id, 10, 'functions/' || name || '/alloc_count', NULLIF(alloc_count, 0) FROM told
UNION ALL SELECT run_id, 10, 'functions/' || name || '/alloc_bytes', NULLIF(alloc_bytes, 0) FROM told
UNION ALL SELECT run_id, 10, 'steps/' || name || '/count', step_count FROM step_totals
	WHERE process_id IS NULL
UNION ALL SELECT run_id, 10, 'steps/' || name || '/mean_ns', mean_ns FROM step_totals
	WHERE process_id IS NULL
UNION ALL SELECT run_id, 10, 'steps/' || name || '/p50_ns', p50_ns FROM step_totals
	WHERE process_id IS NULL
UNION ALL SELECT run_id, 10, 'steps/' || name || '/p99_ns', p99_ns FROM step_totals
	WHERE process_id IS NULL
UNION ALL SELECT run_id, 10, 'counters/' || name || '/mean', mean FROM counter_totals
	WHERE process_id IS NULL

-- :table lines main
SELECT json_group_object(name, value) AS line FROM (SELECT m.* FROM metrics m
	JOIN chosen USING (run_id) WHERE m.value IS NOT NULL ORDER BY run_id, place, name)
GROUP BY run_id ORDER BY run_id;
