-- SPDX-License-Identifier: MIT
-- What the archive asks: of a run.db, and of its own tables (tables.sql).

-- In the order of the schema; rows of unfinished runs are not stored.
-- :name tables
SELECT m.name, l.wr FROM sqlite_master m JOIN pragma_table_list(m.name) l
WHERE m.type = 'table' AND l.schema = 'main' AND m.name <> 'storing' AND m.name NOT LIKE 'sqlite_%'
ORDER BY m.rowid;

-- :name columns
SELECT name FROM pragma_table_info(:table) ORDER BY cid;

-- What the archive keeps of a run beside its rows; C needs host, cwd and started_utc, by number.
-- workload: its label; or the command, whose program may lie elsewhere for each build.
-- size_bytes: its share in the file's, by its paths.
-- :name run
WITH first AS (SELECT IFNULL(executable, '') AS executable, build_id FROM process WHERE run_id = :run
	ORDER BY process_id LIMIT 1),
named AS (SELECT r.*, (SELECT build_id FROM first) AS build_id,
	IFNULL(NULLIF((SELECT executable FROM first), ''), IFNULL(command, '')) AS executable
	FROM run r WHERE run_id = :run),
based AS (SELECT *, substr(executable, 1 + length(rtrim(executable, replace(executable, '/', '')))) AS program
	FROM named)
SELECT token, IFNULL(host, '') AS host, cwd, started_utc, label, command, level, cpu_model, build_id, program,
	CASE WHEN label <> '' THEN label WHEN command <> '' THEN program
	|| substr(command, instr(command || ' ', ' ')) ELSE program END AS workload,
	(SELECT user_version FROM pragma_user_version) AS schema,
	plain_of, job, complete, wall_ns, s.self_ns, s.self_error_ns, s.self_cpu_ns, s.calls,
	alloc_count, alloc_bytes, peak_bytes, live_bytes_at_exit,
	CAST(1.0 * (SELECT page_size FROM pragma_page_size) * (SELECT page_count FROM pragma_page_count)
	* (SELECT COUNT(*) FROM path WHERE run_id = :run) / MAX(1, (SELECT COUNT(*) FROM path)) AS INTEGER)
	AS size_bytes
FROM based JOIN (SELECT SUM(self_ns) AS self_ns, SUM(self_error_ns) AS self_error_ns,
	SUM(self_cpu_ns) AS self_cpu_ns, SUM(calls) AS calls FROM function WHERE run_id = :run) s;

-- What a function did; one that did nothing is left out.
-- :name functions
WITH held AS (SELECT function_id, SUM(at_peak_bytes) AS peak_bytes FROM path WHERE run_id = :run
	GROUP BY function_id HAVING SUM(at_peak_bytes) <> 0),
split AS (SELECT COUNT(cpu_ns) > 0 AS is_split FROM thread WHERE run_id = :run)
SELECT f.name, substr(path, 1 + length(rtrim(path, replace(path, '/', '')))) AS file,
	CASE f.recording WHEN 'exact' THEN 0 WHEN 'sampled' THEN 1 WHEN 'counted' THEN 2
	WHEN 'off' THEN 3 ELSE 4 END AS recording,
	f.calls, CASE WHEN is_split THEN f.self_cpu_ns ELSE f.self_ns END AS cpu_ns,
	f.self_error_ns AS error_ns, f.total_ns,
	f.self_blocked_ns AS blocked_ns, f.alloc_count, f.alloc_bytes, IFNULL(h.peak_bytes, 0) AS peak_bytes
FROM (SELECT f.*, COALESCE(f.file, m.path, '') AS path FROM function f LEFT JOIN module m USING (module_id)) f
JOIN split LEFT JOIN held h USING (function_id)
WHERE f.run_id = :run AND (f.calls OR f.self_ns OR f.alloc_count OR h.peak_bytes);

-- Of a sweep the command with its placeholders is no tag: runs of all sizes have it.
-- :name tags
SELECT name, value FROM run_tag WHERE run_id = :run AND kind IN ('tag', 'parameter');
