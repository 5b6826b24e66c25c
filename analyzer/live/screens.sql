-- SPDX-License-Identifier: MIT
-- The rows of the screens: differences between two looks, by second. Columns are named as in
-- reports (../reports/sql/README.md), hidden ones last; zoom is the path a row zooms into. Errors
-- are squared; counted functions lack only the time.

-- :with below
SELECT :zoom AS path UNION ALL SELECT p.path FROM seen_path p JOIN below ON p.parent = below.path

-- What functions and paths gained between the looks.
-- :with gains
SELECT n.is_path, n.number, n.recording, n.max_ns, MAX(0, n.calls - IFNULL(b.calls, 0)) AS calls,
	MAX(0, n.total_ns - IFNULL(b.total_ns, 0)) AS total_ns,
	MAX(0, n.cpu_ns - IFNULL(b.cpu_ns, 0)) AS cpu_ns,
	MAX(0, n.ready_ns - IFNULL(b.ready_ns, 0)) AS ready_ns,
	MAX(0, n.blocked_ns - IFNULL(b.blocked_ns, 0)) AS blocked_ns,
	MAX(0, n.alloc_count - IFNULL(b.alloc_count, 0)) AS allocs,
	CASE n.recording WHEN 'exact' THEN (n.error_ns - IFNULL(b.error_ns, 0))
		* (n.error_ns - IFNULL(b.error_ns, 0)) * 1.0
	ELSE MAX(0, n.error_ns * n.error_ns * 1.0 - IFNULL(b.error_ns * b.error_ns, 0)) END AS error
FROM node_at n LEFT JOIN node_at b
	ON b.look = :since AND b.is_path = n.is_path AND b.number = n.number
WHERE n.look = :now

-- Errors of paths are independent.
-- :with path_gain
SELECT g.*, p.function, p.path, p.is_outermost FROM gains g JOIN seen_path p ON p.path = g.number
WHERE g.is_path = 1 AND (:zoom = 0 OR p.path IN below)

-- Uses the table gain of each query.
-- :with rates
SELECT IIF(recording = 'counted', NULL, cpu_ns / :span) AS "CPU/s!:self_cpu_per_s_ns",
	IIF(recording = 'counted', NULL, error / (:span * :span)) AS ".self_cpu_per_s_error_ns",
	calls / :span AS "calls/s:calls_per_s/count", IIF(recording = 'counted', NULL,
	total_ns * 1.0 / NULLIF(calls, 0)) AS "mean:mean_ns", IIF(recording = 'counted', NULL,
	error / NULLIF(calls * calls, 0)) AS ".mean_error_ns", max_ns AS "max:max_ns",
	IIF(recording = 'counted', NULL, total_ns / :span) AS "total/s:total_per_s_ns",
	ready_ns / :span AS "CPU wait/s:self_ready_per_s_ns",
	blocked_ns / :span AS "blocked/s:self_blocked_per_s_ns",
	allocs / :span AS "allocs/s:allocs_per_s/count", recording AS "recorded:recording/text",
	f.name AS "function!:name", zoom AS "-zoom/id"
FROM gain JOIN seen_function f USING (function)
WHERE (calls > 0 OR cpu_ns > 0 OR ready_ns > 0 OR blocked_ns > 0 OR allocs > 0)
	AND (:filter = '' OR instr(lower(f.name), lower(:filter)))

-- :name functions
WITH longest AS (SELECT function, path, MAX(total_ns) FROM path_gain GROUP BY function),
gain AS (SELECT g.*, g.number AS function, l.path AS zoom FROM gains g
	LEFT JOIN longest l ON l.function = g.number WHERE g.is_path = 0)
SELECT * FROM rates;

-- The same from paths: for one process, or below a path.
-- :name functions_of_paths
WITH gain AS (SELECT s.*, l.path AS zoom FROM (SELECT function, recording,
		MAX(max_ns) AS max_ns, SUM(calls) AS calls,
		SUM(total_ns * is_outermost) AS total_ns, SUM(cpu_ns) AS cpu_ns,
		SUM(ready_ns) AS ready_ns, SUM(blocked_ns) AS blocked_ns,
		SUM(allocs) AS allocs, SUM(error) AS error FROM path_gain GROUP BY function) s
	JOIN (SELECT function, path, MAX(total_ns) FROM path_gain GROUP BY function) l
	USING (function))
SELECT * FROM rates;

-- :name paths
WITH gain AS (SELECT *, path AS zoom FROM path_gain)
SELECT "CPU/s!:self_cpu_per_s_ns", ".self_cpu_per_s_error_ns", "calls/s:calls_per_s/count",
	"mean:mean_ns", ".mean_error_ns", "max:max_ns", "total/s:total_per_s_ns",
	"CPU wait/s:self_ready_per_s_ns", "blocked/s:self_blocked_per_s_ns",
	"allocs/s:allocs_per_s/count", "recorded:recording/text", NULL AS "path!:path", "-zoom/id"
FROM rates;

-- The kernel reports the clock of a running thread with a delay.
-- :name threads
WITH gain AS (SELECT n.pid, n.tid, n.name, n.path,
		MIN(1, MAX(0, (n.cpu_ns - b.cpu_ns) / 1e9 / :span)) AS cpu,
		MAX(0, (n.ready_ns - b.ready_ns) / 1e9 / :span) AS ready
	FROM thread_at n LEFT JOIN thread_at b
		ON b.look = :since AND b.pid = n.pid AND b.tid = n.tid
	WHERE n.look = :now)
SELECT g.pid AS ".pid", g.tid AS "tid!:tid", 100 * cpu AS "computing!:cpu_percent",
	100 * MIN(ready, 1 - cpu) AS "CPU wait:ready_percent",
	100 * (1 - cpu - MIN(ready, 1 - cpu)) AS "blocked:blocked_percent",
	g.name AS "thread!:name/text", NULL AS "is in!:in/path", NULLIF(g.path, 0) AS "-zoom/id"
FROM gain g LEFT JOIN seen_path p ON p.path = g.path LEFT JOIN seen_function f USING (function)
WHERE :filter = '' OR instr(lower(g.name), lower(:filter))
	OR instr(lower(IFNULL(f.name, '')), lower(:filter));

-- :name sites
SELECT (n.alloc_bytes - IFNULL(b.alloc_bytes, 0)) / :span AS "bytes/s!:bytes_per_s/bytes",
	(n.alloc_count - IFNULL(b.alloc_count, 0)) / :span AS "allocs/s:allocs_per_s/count",
	n.live_bytes - IFNULL(b.live_bytes, 0) AS "growth:growth_bytes/bytes_change",
	n.live_bytes AS "live!:live_bytes", n.live_count AS "blocks:live_count",
	NULLIF(n.file, '') AS "line:file/place", NULL AS "path!:path", n.path AS "-zoom/id",
	n.line AS "-line/id"
FROM site_at n LEFT JOIN site_at b ON b.look = :since AND b.path = n.path AND b.file = n.file
	AND b.line = n.line
JOIN seen_path p ON p.path = n.path JOIN seen_function f USING (function)
WHERE n.look = :now AND (:zoom = 0 OR n.path IN below)
	AND (n.live_count > 0 OR n.alloc_count > IFNULL(b.alloc_count, 0))
	AND (:filter = '' OR instr(lower(f.name), lower(:filter))
		OR instr(lower(n.file), lower(:filter)));

-- :name io
SELECT (n.read_bytes - IFNULL(b.read_bytes, 0)) / :span AS "read/s!:read_bytes_per_s/bytes",
	(n.written_bytes - IFNULL(b.written_bytes, 0)) / :span
	AS "written/s!:written_bytes_per_s/bytes",
	(n.calls - IFNULL(b.calls, 0)) / :span AS "calls/s:calls_per_s/count",
	(n.total_ns - IFNULL(b.total_ns, 0)) / :span AS "time/s:total_per_s_ns",
	n.target AS "what:target/file", NULL AS "path!:path", n.path AS "-zoom/id"
FROM io_at n LEFT JOIN io_at b ON b.look = :since AND b.path = n.path AND b.target = n.target
JOIN seen_path p ON p.path = n.path JOIN seen_function f USING (function)
WHERE n.look = :now AND (:zoom = 0 OR n.path IN below)
	AND n.calls > IFNULL(b.calls, 0) AND (:filter = ''
	OR instr(lower(f.name), lower(:filter)) OR instr(lower(n.target), lower(:filter)));

-- :name steps
SELECT (n.mark_count - IFNULL(b.mark_count, 0)) / :span AS "marks/s!:marks_per_s/any",
	CASE n.kind WHEN 1 THEN (n.sum - IFNULL(b.sum, 0))
		/ NULLIF(n.value_count - IFNULL(b.value_count, 0), 0) END AS "mean:mean_ns",
	n.last AS "last:last/text", IIF(n.kind = 1, 'step', 'counter') AS "kind:kind/text",
	n.name AS "name!:name/text", NULL AS "-zoom/id"
FROM series_at n LEFT JOIN series_at b
	ON b.look = :since AND b.kind = n.kind AND b.name = n.name
WHERE n.look = :now AND (:filter = '' OR instr(lower(n.name), lower(:filter)));
