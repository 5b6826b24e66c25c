-- SPDX-License-Identifier: MIT
-- One run in numbers: a row, whose columns queries of reports find bound.

-- The peak is the highest of one process, live memory that of all. unknown_count: functions that
-- may have a large share of all self time, but whose time is not known.
-- :name run
SELECT r.label, r.command, r.started_utc, r.host, r.level, r.cpu_count, r.wall_ns,
	r.exit_code, r.exit_signal, r.complete, r.alloc_count, r.alloc_bytes, r.free_count,
	r.peak_bytes, r.live_bytes_at_exit AS live_bytes, IFNULL(r.exit_signal, 0) != 0 AS has_exit_signal,
	r.exit_code IS NOT NULL AS has_exit_code, r.wall_ns IS NOT NULL AS has_wall,
	f.*, s.*, t.*, o.*,
	(SELECT COUNT(*) FROM functions WHERE run_id = :run AND (calls > 0 OR self_ns > 0)
		AND recording != 'counted' AND self_error_ns > 0 AND self_ns <= self_error_ns
		AND self_ns + self_error_ns >= :least_share * IFNULL(f.self_ns, 0)) AS unknown_count,
	(SELECT COUNT(*) FROM processes WHERE run_id = :run) AS process_count,
	(SELECT TOTAL(count) FROM samples WHERE run_id = :run AND program = 'plain')
		AS plain_sample_count,
	(SELECT SUM(temporary_count) FROM site WHERE run_id = :run) AS temporary_count,
	p.pid AS peak_pid, p.live_bytes_at_exit AS peak_live_bytes,
	(SELECT COUNT(*) FROM process WHERE run_id = :run AND alloc_count > 0
		AND p.pid IS NOT NULL) AS allocating_count,
	CASE WHEN p.pid IS NULL THEN r.peak_bytes ELSE
		(SELECT TOTAL(peak_bytes) FROM process WHERE run_id = :run) END AS peaks_bytes
FROM runs r LEFT JOIN run ON run.run_id = r.run_id
LEFT JOIN process p ON p.process_id = run.peak_process_id,
(SELECT SUM(calls) AS calls, COUNT(CASE WHEN calls > 0 THEN 1 END) AS function_count,
	SUM(self_ns) AS self_ns, SUM(self_ready_ns + self_blocked_ns) AS self_off_ns,
	SUM(raw_self_ns) AS raw_self_ns,
	SUM(recording = 'counted') AS counted_count, SUM(recording = 'off') AS off_count,
	SUM(recording = 'sampled') AS sampled_count,
	SUM(recording = 'counted' OR recording = 'sampled' AND calls IS NOT 0) AS estimated_count,
	SUM(inlined_calls) AS inlined_calls FROM functions WHERE run_id = :run) f,
(SELECT TOTAL(value * (name = 'samples')) AS sample_count,
	TOTAL(value * (name = 'sampled_ns')) AS sampled_ns,
	TOTAL(value * (name = 'sample_tick_ns')) AS sample_tick_ns,
	TOTAL(value * (name = 'samples_off')) AS samples_off,
	MAX(CASE WHEN name = 'sampling_refused' AND value > 0 THEN text END)
		AS samples_refused,
	MAX(CASE WHEN name = 'timer_samples' AND value > 0 AND text <> '' THEN text END)
		AS timer_reason,
	TOTAL(value * (name LIKE 'switches_by%')) > 0 AND TOTAL(value *
		(name IN ('switches_unseen', 'unsplit_processes'))) = 0 AS is_split
FROM trust WHERE run_id = :run) s,
(SELECT COUNT(*) AS thread_count, SUM(wall_ns) AS thread_ns, SUM(cpu_ns) AS cpu_ns,
	SUM(ready_ns) AS ready_ns, SUM(blocked_ns) AS blocked_ns
FROM threads WHERE run_id = :run) t,
-- a run's paths are stored together: reading them in that order is twice as fast
(SELECT COUNT(*) AS path_count,
	SUM(raw_total_ns) FILTER (WHERE parent_path_id IS NULL) AS recorded_ns,
	SUM(total_error_ns) FILTER (WHERE parent_path_id IS NULL) AS self_error_ns
FROM path WHERE path_id BETWEEN (SELECT MIN(path_id) FROM path WHERE run_id = :run)
	AND (SELECT MAX(path_id) FROM path WHERE run_id = :run) AND +run_id = :run) o
WHERE r.run_id = :run;

-- :name everything
SELECT * FROM runs WHERE run_id = :run;
