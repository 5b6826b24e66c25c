-- SPDX-License-Identifier: MIT
-- What calls of libc moved, by who called them: of the longest thread (part), without waits
-- for a CPU.

-- Reads and writes of files that go straight to the kernel. Of several files the one with
-- most calls is told. What is read in order can be had in pieces of a page or more.
-- :name small
WITH parts AS (SELECT p.path_id, COALESCE(CAST(MAX(s.total_ns - s.ready_ns) AS REAL)
		/ NULLIF(SUM(s.total_ns), 0), 1.0 - CAST(p.ready_ns AS REAL) / p.total_ns) AS part
	FROM path p LEFT JOIN path_lane s USING (path_id)
	WHERE p.run_id = :run AND p.kind = 4 AND p.total_ns > 0 GROUP BY 1),
calls AS (SELECT p.parent_path_id AS path_id, i.name AS callee, i.operation, i.file,
		SUM(i.calls) AS calls, SUM(i.bytes) AS bytes, SUM(i.small_calls) AS small_calls,
		SUM(i.sequential_calls) AS sequential_calls,
		SUM(i.total_ns * s.part) AS ns
	FROM io i JOIN path p USING (path_id) JOIN parts s USING (path_id)
	WHERE i.run_id = :run AND i.kind = 'file' AND libc_purpose(i.name) = 'data'
		AND p.parent_path_id IS NOT NULL
	GROUP BY 1, 2, 4),
sums AS (SELECT path_id, callee, operation, file, COUNT(*) AS files, SUM(calls) AS calls,
		SUM(bytes) AS bytes, SUM(small_calls) AS small_calls,
		SUM(sequential_calls) AS sequential_calls, SUM(ns) AS ns, MAX(calls)
	FROM calls GROUP BY 1, 2)
SELECT path_id, callee, operation, file, files, calls, ns, ns / calls AS call_ns,
	CAST(bytes AS REAL) / calls AS mean_bytes, ns / :run_ns AS held,
	CAST(small_calls AS REAL) / calls AS small,
	CAST(sequential_calls AS REAL) / calls AS sequential,
	ns * MAX(0, 1 - CAST(bytes AS REAL) / calls / :page_bytes) AS saving_ns, 2 AS confidence,
	CASE WHEN files > 1 THEN ' and ' || (files - 1) || ' more' ELSE '' END AS others,
	CASE operation WHEN 'read' THEN 'read much at a time into a buffer, and take the pieces '
		|| 'from there: fread(), or a buffer of your own'
		ELSE 'gather the pieces in a buffer, and write it when it is full: fwrite(), '
		|| 'writev(), or a buffer of your own' END AS remedy
FROM sums WHERE calls > 0 ORDER BY ns DESC, path_id, callee;

-- :name syncs
WITH parts AS (SELECT p.path_id, COALESCE(CAST(MAX(s.total_ns - s.ready_ns) AS REAL)
		/ NULLIF(SUM(s.total_ns), 0), 1.0 - CAST(p.ready_ns AS REAL) / p.total_ns) AS part
	FROM path p LEFT JOIN path_lane s USING (path_id)
	WHERE p.run_id = :run AND p.kind = 4 AND p.total_ns > 0 GROUP BY 1),
calls AS (SELECT p.parent_path_id AS path_id, i.name AS callee, i.file,
		SUM(i.calls) AS calls, SUM(i.total_ns * s.part) AS ns
	FROM io i JOIN path p USING (path_id) JOIN parts s USING (path_id)
	WHERE i.run_id = :run AND libc_purpose(i.name) = 'sync' AND p.parent_path_id IS NOT NULL
	GROUP BY 1, 2, 3),
sums AS (SELECT path_id, callee, file, COUNT(*) AS files, SUM(calls) AS calls,
		SUM(ns) AS ns, MAX(calls)
	FROM calls GROUP BY 1, 2)
SELECT path_id, callee, file, files, calls, ns, ns / calls AS call_ns, ns / :run_ns AS held,
	:assumed_gain * ns AS saving_ns, 2 AS confidence,
	CASE WHEN files > 1 THEN ' and ' || (files - 1) || ' more' ELSE '' END AS others
FROM sums WHERE calls > 0 ORDER BY ns DESC, path_id, callee;

-- What a file is opened and closed for again, by who opens it most.
-- :name opens
WITH parts AS (SELECT p.path_id, COALESCE(CAST(MAX(s.total_ns - s.ready_ns) AS REAL)
		/ NULLIF(SUM(s.total_ns), 0), 1.0 - CAST(p.ready_ns AS REAL) / p.total_ns) AS part
	FROM path p LEFT JOIN path_lane s USING (path_id)
	WHERE p.run_id = :run AND p.kind = 4 AND p.total_ns > 0 GROUP BY 1),
calls AS (SELECT p.parent_path_id AS path_id, i.file, i.operation, SUM(i.calls) AS calls,
		SUM(i.failed_calls) AS failed_calls,
		SUM(i.total_ns * s.part) AS ns
	FROM io i JOIN path p USING (path_id) JOIN parts s USING (path_id)
	WHERE i.run_id = :run AND i.kind IN ('file', 'device')
		AND libc_purpose(i.name) IN ('open', 'close') AND p.parent_path_id IS NOT NULL
	GROUP BY 1, 2, 3),
files AS (SELECT file, SUM(CASE operation WHEN 'open' THEN calls ELSE 0 END) AS opens,
		SUM(ns) AS ns FROM calls GROUP BY 1),
openers AS (SELECT path_id, file, MAX(calls) FROM calls WHERE operation = 'open' GROUP BY file)
SELECT o.path_id, f.file, f.opens AS calls, f.ns, f.ns / f.opens AS call_ns,
	f.ns / :run_ns AS held, f.ns * (1 - 1.0 / f.opens) AS saving_ns, 2 AS confidence
FROM files f JOIN openers o USING (file) WHERE f.opens > 0 ORDER BY f.ns DESC, f.file;
