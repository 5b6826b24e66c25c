-- SPDX-License-Identifier: MIT
-- One run in numbers.

-- :name run
SELECT label, command, started_utc, host, level, cpu_count, wall_ns, exit_code,
	exit_signal, complete, alloc_count, alloc_bytes, free_count,
	peak_bytes, live_bytes_at_exit
FROM runs WHERE run_id = :run;

-- :name functions
SELECT SUM(calls) AS calls, COUNT(CASE WHEN calls > 0 THEN 1 END) AS function_count,
	SUM(self_ns) AS self_ns, SUM(self_ready_ns + self_blocked_ns) AS self_off_ns,
	SUM(raw_self_ns) AS raw_self_ns,
	SUM(recording = 'counted') AS counted_count, SUM(recording = 'off') AS off_count,
	SUM(recording = 'sampled') AS sampled_count,
	SUM(inlined_calls) AS inlined_calls
FROM functions WHERE run_id = :run;

-- Functions that may have such a share of all self time, and that it is not known of.
-- :name unknown
SELECT COUNT(*) AS count FROM functions
WHERE run_id = :run AND (calls > 0 OR self_ns > 0) AND recording != 'counted'
	AND self_error_ns > 0 AND self_ns <= self_error_ns
	AND self_ns + self_error_ns >= :least_share *
		(SELECT TOTAL(self_ns) FROM functions WHERE run_id = :run);

-- :name sampling
SELECT TOTAL(value * (name = 'samples')) AS count,
	TOTAL(value * (name = 'sampled_ns')) AS cpu_ns,
	TOTAL(value * (name = 'sample_tick_ns')) AS tick_ns,
	TOTAL(value * (name = 'samples_off')) AS is_off,
	MAX(CASE WHEN name = 'sampling_refused' AND value > 0 THEN text END) AS refusal
FROM trust WHERE run_id = :run;

-- :name roots
SELECT SUM(raw_total_ns) AS recorded_ns, SUM(total_error_ns) AS total_error_ns
FROM call_paths WHERE run_id = :run AND parent_path_id IS NULL;

-- :name counts
SELECT (SELECT COUNT(*) FROM processes WHERE run_id = :run) AS process_count,
	(SELECT COUNT(*) FROM threads WHERE run_id = :run) AS thread_count,
	(SELECT SUM(wall_ns) FROM threads WHERE run_id = :run) AS thread_ns,
	(SELECT TOTAL(cpu_ns) FROM threads WHERE run_id = :run) AS cpu_ns,
	(SELECT TOTAL(ready_ns) FROM threads WHERE run_id = :run) AS ready_ns,
	(SELECT TOTAL(blocked_ns) FROM threads WHERE run_id = :run) AS blocked_ns,
	(SELECT TOTAL(value * (name LIKE 'switches_by%')) > 0
		AND TOTAL(value * (name NOT LIKE 'switches_by%')) = 0 FROM trust
		WHERE run_id = :run AND name IN ('switches_by_rseq', 'switches_by_perf',
		'switches_unseen', 'unsplit_processes')) AS is_split,
	(SELECT COUNT(*) FROM resources WHERE run_id = :run) AS sample_count,
	(SELECT TOTAL(count) FROM samples WHERE run_id = :run AND program = 'plain')
		AS plain_sample_count,
	(SELECT COUNT(*) FROM path WHERE run_id = :run) AS path_count,
	(SELECT SUM(temporary_count) FROM site WHERE run_id = :run) AS temporary_count,
	(SELECT COUNT(*) FROM snapshots WHERE run_id = :run) AS snapshot_count;

-- The peak is that of one process, what is live that of all.
-- :name peak
SELECT p.pid, p.live_bytes_at_exit,
	(SELECT TOTAL(peak_bytes) FROM process WHERE run_id = :run) AS peaks_bytes,
	(SELECT COUNT(*) FROM process WHERE run_id = :run AND alloc_count > 0) AS allocating_count
FROM run r JOIN process p ON p.process_id = r.peak_process_id WHERE r.run_id = :run;

-- :name everything
SELECT * FROM runs WHERE run_id = :run;
