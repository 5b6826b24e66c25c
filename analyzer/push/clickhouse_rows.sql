-- SPDX-License-Identifier: MIT
-- A run's rows for a fleet's ClickHouse; columns are named as there.

-- :name runs
SELECT run_id FROM runs ORDER BY run_id;

-- Of all rows for the server: the last column has one digit, see store_insert().

-- What tells the run from all others.
-- :name identity
SELECT token, CASE WHEN started_utc GLOB '[12][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T*'
	THEN substr(started_utc, 1, 10) ELSE '1970-01-01' END AS day
FROM run WHERE run_id = :run;

-- What tells a function from others wherever it was built: no directory, no line.
-- :name hashed_function
SELECT f.function_id AS function_id, hash_of(IFNULL(f.full_name, f.name) || char(31) || IFNULL(f.linkage_name, '')
	|| char(31) || IFNULL(f.component, '')
	|| char(31) || IFNULL(replace(f.file, rtrim(f.file, replace(f.file, '/', '')), ''), '')
	|| char(31) || IFNULL(replace(m.path, rtrim(m.path, replace(m.path, '/', '')), ''), '')
) AS hash
FROM function f LEFT JOIN module m USING (module_id) WHERE f.run_id = :run ORDER BY f.function_id;

-- Filled by hashes_keep().
-- :name hashed_path
SELECT 0 AS path_id, 0 AS hash WHERE 0;

-- :name path_identities
SELECT path_id AS id, IFNULL(parent_path_id, 0) AS parent, IFNULL(h.hash, 0) AS hash, kind
FROM path LEFT JOIN hashed_function h USING (function_id) WHERE run_id = :run ORDER BY path_id;

-- :name functions
SELECT h.hash, IFNULL(f.full_name, f.name) AS name,
	IFNULL(m.path, '') AS module, IFNULL(f.file, '') AS file,
	CAST(IFNULL(f.line, 0) AS INTEGER) AS line, IFNULL(f.component, '') AS component,
	CAST(f.is_library AS INTEGER) <> 0 AS is_library
FROM function f JOIN hashed_function h USING (function_id) LEFT JOIN module m USING (module_id)
WHERE f.run_id = :run GROUP BY 1 ORDER BY 1;

-- :name stacks
SELECT h.hash, IFNULL(c.hash, 0) AS caller, IFNULL(f.hash, 0) AS function, CAST(depth AS INTEGER) AS depth,
	CAST(kind AS INTEGER) & 7 AS kind
FROM path p JOIN hashed_path h USING (path_id) LEFT JOIN hashed_path c ON c.path_id = p.parent_path_id
	LEFT JOIN hashed_function f USING (function_id)
WHERE p.run_id = :run GROUP BY 1 ORDER BY 1;

-- :name measurements
SELECT :day AS day, :token AS token, h.hash AS stack, SUM(calls) AS calls,
	SUM(total_ns) AS total_ns, SUM(total_error_ns) AS total_error_ns,
	SUM(self_ns) AS self_ns, SUM(self_error_ns) AS self_error_ns,
	SUM(self_cpu_ns) AS self_cpu_ns, SUM(self_ready_ns) AS self_ready_ns,
	SUM(self_blocked_ns) AS self_blocked_ns, SUM(alloc_count) AS alloc_count,
	SUM(alloc_bytes) AS alloc_bytes, SUM(live_bytes) AS live_bytes,
	SUM(at_peak_bytes) AS at_peak_bytes, MAX(CAST(recording AS INTEGER) & 7) AS recording
FROM path JOIN hashed_path h USING (path_id) WHERE run_id = :run GROUP BY 3 ORDER BY 3;

-- :name run
SELECT :day AS day, :token AS token, IFNULL(r.label, '') AS label,
	IFNULL(replace(p.executable, rtrim(p.executable, replace(p.executable, '/', '')), ''), '')
	AS program,
	IFNULL(r.command, '') AS command, IFNULL(r.host, '') AS host,
	IFNULL(r.cpu_model, '') AS cpu_model, IFNULL(r.kernel, '') AS kernel,
	IFNULL(p.build_id, '') AS build_id, IFNULL(r.job, '') AS job,
	CAST(IFNULL(r.rank, -1) AS INTEGER) AS rank, IFNULL(r.level, '') AS level,
	IFNULL(r.shim_version, '') AS profshim_version,
	CAST(1000 * IFNULL(julianday(r.started_utc) - 2440587.5, 0) * 86400 AS INTEGER) AS started_ms,
	CAST(IFNULL(r.wall_ns, 0) AS INTEGER) AS wall_ns,
	CAST(IFNULL(r.exit_code, 0) AS INTEGER) AS exit_code,
	CAST(IFNULL(r.exit_signal, 0) AS INTEGER) AS exit_signal,
	(SELECT CAST(IFNULL(SUM(calls), 0) AS INTEGER) FROM path WHERE run_id = :run) AS calls,
	(SELECT CAST(IFNULL(SUM(self_ns), 0) AS INTEGER) FROM path WHERE run_id = :run) AS self_ns,
	(SELECT CAST(IFNULL(SUM(self_error_ns), 0) AS INTEGER) FROM path WHERE run_id = :run)
	AS self_error_ns,
	(SELECT CAST(IFNULL(SUM(cpu_ns), 0) AS INTEGER) FROM thread WHERE run_id = :run) AS cpu_ns,
	(SELECT CAST(IFNULL(SUM(ready_ns), 0) AS INTEGER) FROM thread WHERE run_id = :run) AS ready_ns,
	(SELECT CAST(IFNULL(SUM(blocked_ns), 0) AS INTEGER) FROM thread WHERE run_id = :run)
	AS blocked_ns, CAST(IFNULL(r.alloc_count, 0) AS INTEGER) AS alloc_count,
	CAST(IFNULL(r.alloc_bytes, 0) AS INTEGER) AS alloc_bytes,
	CAST(IFNULL(r.free_count, 0) AS INTEGER) AS free_count,
	CAST(IFNULL(r.peak_bytes, 0) AS INTEGER) AS peak_bytes,
	CAST(IFNULL(r.live_bytes_at_exit, 0) AS INTEGER) AS live_bytes,
	(SELECT CAST(IFNULL(SUM(value), 0) AS INTEGER) FROM trust WHERE run_id = :run AND name IN
		('dropped_allocations', 'folded_paths', 'repaired_frames', 'orphan_exits',
		'lost_frees', 'unknown_frees', 'late_events')) AS lost,
	:stacks AS stacks, CAST(r.complete AS INTEGER) <> 0 AS complete
FROM run r LEFT JOIN process p ON p.process_id = (SELECT MIN(process_id) FROM process
	WHERE run_id = :run)
WHERE r.run_id = :run;
