-- SPDX-License-Identifier: MIT
-- What a comparison reads of a run: one ordered query per table, no query per row.

-- :name facts
SELECT label, command, level, cpu_count, cpu_model, kernel, clock, shim_version,
	complete, wall_ns, peak_bytes, live_bytes_at_exit, alloc_count, alloc_bytes, host,
	rank_count,
	(SELECT SUM(total_error_ns) FROM path WHERE run_id = :run
		AND parent_path_id IS NULL) AS total_error_ns,
	(SELECT TOTAL(cpu_ns) FROM threads WHERE run_id = :run) AS cpu_ns,
	(SELECT COUNT(*) > 1 FROM threads WHERE run_id = :run) AS has_threads, s.*
FROM runs, (SELECT TOTAL(value * (name LIKE 'switches_by%')) > 0
		AND TOTAL(value * (name NOT LIKE 'switches_by%')) = 0 AS is_split,
		TOTAL(value * (name = 'unsplit_processes')) > 0 AS is_unasked
	FROM trust WHERE run_id = :run AND name IN ('switches_by_rseq',
		'switches_by_perf', 'switches_unseen', 'unsplit_processes')) s
WHERE run_id = :run;

-- :name losses
SELECT name, SUM(value) AS lost FROM trust WHERE run_id = :run GROUP BY name
HAVING SUM(value) != 0 ORDER BY name;

-- A program may have another name on the other side, so its name is not a module here.
-- :name functions
SELECT f.*, CASE WHEN m.path NOT IN (SELECT executable FROM processes
		WHERE run_id = :run AND executable IS NOT NULL) THEN m.path END AS module, m.build_id,
	f.recording <> 'unwound' AND (f.recording <> 'sampled' OR f.calls > 0) AS is_hooked,
	(f.recording IN ('counted', 'off') OR f.recording = 'sampled' AND f.calls > 0)
	AS is_estimated,
	f.function_id IN (SELECT e.caller_id FROM edge e
		JOIN function c ON c.function_id = e.callee_id
		WHERE e.run_id = :run AND (c.recording IN ('counted', 'off') OR c.recording = 'sampled' AND c.calls > 0)) AS is_holder
FROM function f LEFT JOIN module m USING (module_id)
WHERE f.run_id = :run ORDER BY f.function_id;

-- :name sites
SELECT path_id, file, line, alloc_count, alloc_bytes, live_bytes, at_peak_bytes
FROM site WHERE run_id = :run ORDER BY site_id;
