-- SPDX-License-Identifier: MIT
-- The rows of the screens: what there was between two looks, in each second. zoom is what
-- a row is zoomed into. Errors are squares; of what is counted only the time is not known.

-- :name functions
WITH gain AS (SELECT n.function, n.recording, n.max_ns,
		MAX(0, n.calls - IFNULL(b.calls, 0)) AS calls,
		MAX(0, n.total_ns - IFNULL(b.total_ns, 0)) AS total_ns,
		MAX(0, n.cpu_ns - IFNULL(b.cpu_ns, 0)) AS cpu_ns,
		MAX(0, n.ready_ns - IFNULL(b.ready_ns, 0)) AS ready_ns,
		MAX(0, n.blocked_ns - IFNULL(b.blocked_ns, 0)) AS blocked_ns,
		MAX(0, n.alloc_count - IFNULL(b.alloc_count, 0)) AS allocs,
		CASE n.recording WHEN 'exact' THEN (n.error_ns - IFNULL(b.error_ns, 0))
			* (n.error_ns - IFNULL(b.error_ns, 0)) * 1.0
		ELSE MAX(0, n.error_ns * n.error_ns * 1.0
			- IFNULL(b.error_ns * b.error_ns, 0)) END AS error
	FROM function_at n LEFT JOIN function_at b ON b.look = :since AND b.function = n.function
	WHERE n.look = :now),
longest AS (SELECT p.function, n.path,
		MAX(n.total_ns - IFNULL(b.total_ns, 0)) AS most
	FROM path_at n JOIN seen_path p USING (path)
	LEFT JOIN path_at b ON b.look = :since AND b.path = n.path
	WHERE n.look = :now GROUP BY p.function)
SELECT CASE recording WHEN 'counted' THEN NULL ELSE cpu_ns / :span END AS self_cpu_per_s_ns,
	CASE recording WHEN 'counted' THEN NULL ELSE error / (:span * :span) END
		AS self_cpu_per_s_error_ns,
	calls / :span AS calls_per_s,
	CASE recording WHEN 'counted' THEN NULL ELSE total_ns * 1.0 / NULLIF(calls, 0) END
		AS mean_ns,
	CASE recording WHEN 'counted' THEN NULL ELSE error / NULLIF(calls * calls, 0) END
		AS mean_error_ns, max_ns,
	CASE recording WHEN 'counted' THEN NULL ELSE total_ns / :span END AS total_per_s_ns, ready_ns / :span AS self_ready_per_s_ns,
	blocked_ns / :span AS self_blocked_per_s_ns, allocs / :span AS allocs_per_s,
	recording, f.name, l.path AS zoom
FROM gain JOIN seen_function f USING (function) LEFT JOIN longest l USING (function)
WHERE (calls > 0 OR cpu_ns > 0 OR ready_ns > 0 OR blocked_ns > 0 OR allocs > 0)
	AND (:filter = '' OR instr(lower(f.name), lower(:filter)));

-- The same from paths: of one process, and below a path. Errors of paths are independent.
-- :name functions_of_paths
WITH RECURSIVE below(path) AS (SELECT :zoom UNION ALL SELECT p.path FROM seen_path p
	JOIN below ON p.parent = below.path),
gain AS (SELECT p.function, n.path, p.is_outermost, n.recording, n.max_ns,
		MAX(0, n.calls - IFNULL(b.calls, 0)) AS calls,
		MAX(0, n.total_ns - IFNULL(b.total_ns, 0)) AS total_ns,
		MAX(0, n.cpu_ns - IFNULL(b.cpu_ns, 0)) AS cpu_ns,
		MAX(0, n.ready_ns - IFNULL(b.ready_ns, 0)) AS ready_ns,
		MAX(0, n.blocked_ns - IFNULL(b.blocked_ns, 0)) AS blocked_ns,
		MAX(0, n.alloc_count - IFNULL(b.alloc_count, 0)) AS allocs,
		CASE n.recording WHEN 'exact' THEN (n.error_ns - IFNULL(b.error_ns, 0))
			* (n.error_ns - IFNULL(b.error_ns, 0)) * 1.0
		ELSE MAX(0, n.error_ns * n.error_ns * 1.0
			- IFNULL(b.error_ns * b.error_ns, 0)) END AS error
	FROM path_at n JOIN seen_path p ON p.path = n.path
	LEFT JOIN path_at b ON b.look = :since AND b.path = n.path
	WHERE n.look = :now AND (:zoom = 0 OR n.path IN below)),
sums AS (SELECT function, recording, MAX(max_ns) AS max_ns, SUM(calls) AS calls,
		SUM(total_ns * is_outermost) AS total_ns, SUM(cpu_ns) AS cpu_ns,
		SUM(ready_ns) AS ready_ns, SUM(blocked_ns) AS blocked_ns,
		SUM(allocs) AS allocs, SUM(error) AS error FROM gain GROUP BY function),
longest AS (SELECT function, path, MAX(total_ns) FROM gain GROUP BY function)
SELECT CASE recording WHEN 'counted' THEN NULL ELSE cpu_ns / :span END AS self_cpu_per_s_ns,
	CASE recording WHEN 'counted' THEN NULL ELSE error / (:span * :span) END
		AS self_cpu_per_s_error_ns,
	calls / :span AS calls_per_s,
	CASE recording WHEN 'counted' THEN NULL ELSE total_ns * 1.0 / NULLIF(calls, 0) END
		AS mean_ns,
	CASE recording WHEN 'counted' THEN NULL ELSE error / NULLIF(calls * calls, 0) END
		AS mean_error_ns, max_ns,
	CASE recording WHEN 'counted' THEN NULL ELSE total_ns / :span END AS total_per_s_ns, ready_ns / :span AS self_ready_per_s_ns,
	blocked_ns / :span AS self_blocked_per_s_ns, allocs / :span AS allocs_per_s,
	recording, f.name, l.path AS zoom
FROM sums JOIN seen_function f USING (function) JOIN longest l USING (function)
WHERE (calls > 0 OR cpu_ns > 0 OR ready_ns > 0 OR blocked_ns > 0 OR allocs > 0)
	AND (:filter = '' OR instr(lower(f.name), lower(:filter)));

-- :name paths
WITH RECURSIVE below(path) AS (SELECT :zoom UNION ALL SELECT p.path FROM seen_path p
	JOIN below ON p.parent = below.path),
gain AS (SELECT n.path, n.recording, n.max_ns,
		MAX(0, n.calls - IFNULL(b.calls, 0)) AS calls,
		MAX(0, n.total_ns - IFNULL(b.total_ns, 0)) AS total_ns,
		MAX(0, n.cpu_ns - IFNULL(b.cpu_ns, 0)) AS cpu_ns,
		MAX(0, n.ready_ns - IFNULL(b.ready_ns, 0)) AS ready_ns,
		MAX(0, n.blocked_ns - IFNULL(b.blocked_ns, 0)) AS blocked_ns,
		MAX(0, n.alloc_count - IFNULL(b.alloc_count, 0)) AS allocs,
		CASE n.recording WHEN 'exact' THEN (n.error_ns - IFNULL(b.error_ns, 0))
			* (n.error_ns - IFNULL(b.error_ns, 0)) * 1.0
		ELSE MAX(0, n.error_ns * n.error_ns * 1.0
			- IFNULL(b.error_ns * b.error_ns, 0)) END AS error
	FROM path_at n LEFT JOIN path_at b ON b.look = :since AND b.path = n.path
	WHERE n.look = :now AND (:zoom = 0 OR n.path IN below))
SELECT CASE recording WHEN 'counted' THEN NULL ELSE cpu_ns / :span END AS self_cpu_per_s_ns,
	CASE recording WHEN 'counted' THEN NULL ELSE error / (:span * :span) END
		AS self_cpu_per_s_error_ns,
	calls / :span AS calls_per_s,
	CASE recording WHEN 'counted' THEN NULL ELSE total_ns * 1.0 / NULLIF(calls, 0) END
		AS mean_ns,
	CASE recording WHEN 'counted' THEN NULL ELSE error / NULLIF(calls * calls, 0) END
		AS mean_error_ns, max_ns,
	CASE recording WHEN 'counted' THEN NULL ELSE total_ns / :span END AS total_per_s_ns, ready_ns / :span AS self_ready_per_s_ns,
	blocked_ns / :span AS self_blocked_per_s_ns, allocs / :span AS allocs_per_s,
	recording, gain.path AS zoom
FROM gain JOIN seen_path p USING (path) JOIN seen_function f USING (function)
WHERE (calls > 0 OR cpu_ns > 0 OR ready_ns > 0 OR blocked_ns > 0 OR allocs > 0)
	AND (:filter = '' OR instr(lower(f.name), lower(:filter)));

-- The kernel tells the clock of a running thread with a delay.
-- :name threads
WITH gain AS (SELECT n.pid, n.tid, n.name, n.path,
		MIN(1, MAX(0, (n.cpu_ns - b.cpu_ns) / 1e9 / :span)) AS cpu,
		MAX(0, (n.ready_ns - b.ready_ns) / 1e9 / :span) AS ready
	FROM thread_at n LEFT JOIN thread_at b
		ON b.look = :since AND b.pid = n.pid AND b.tid = n.tid
	WHERE n.look = :now)
SELECT g.pid, g.tid, 100 * cpu AS cpu_percent, 100 * MIN(ready, 1 - cpu) AS ready_percent,
	100 * (1 - cpu - MIN(ready, 1 - cpu)) AS blocked_percent, g.name,
	NULLIF(g.path, 0) AS zoom
FROM gain g LEFT JOIN seen_path p ON p.path = g.path LEFT JOIN seen_function f USING (function)
WHERE :filter = '' OR instr(lower(g.name), lower(:filter))
	OR instr(lower(IFNULL(f.name, '')), lower(:filter));

-- :name sites
WITH RECURSIVE below(path) AS (SELECT :zoom UNION ALL SELECT p.path FROM seen_path p
	JOIN below ON p.parent = below.path)
SELECT (n.alloc_bytes - IFNULL(b.alloc_bytes, 0)) / :span AS bytes_per_s,
	(n.alloc_count - IFNULL(b.alloc_count, 0)) / :span AS allocs_per_s,
	n.live_bytes - IFNULL(b.live_bytes, 0) AS growth_bytes, n.live_bytes, n.live_count,
	NULLIF(n.file, '') AS file, n.line, n.path AS zoom
FROM site_at n LEFT JOIN site_at b ON b.look = :since AND b.path = n.path AND b.file = n.file
	AND b.line = n.line
JOIN seen_path p ON p.path = n.path JOIN seen_function f USING (function)
WHERE n.look = :now AND (:zoom = 0 OR n.path IN below)
	AND (n.live_count > 0 OR n.alloc_count > IFNULL(b.alloc_count, 0))
	AND (:filter = '' OR instr(lower(f.name), lower(:filter))
		OR instr(lower(n.file), lower(:filter)));

-- :name io
WITH RECURSIVE below(path) AS (SELECT :zoom UNION ALL SELECT p.path FROM seen_path p
	JOIN below ON p.parent = below.path)
SELECT (n.read_bytes - IFNULL(b.read_bytes, 0)) / :span AS read_bytes_per_s,
	(n.written_bytes - IFNULL(b.written_bytes, 0)) / :span AS written_bytes_per_s,
	(n.calls - IFNULL(b.calls, 0)) / :span AS calls_per_s,
	(n.total_ns - IFNULL(b.total_ns, 0)) / :span AS total_per_s_ns, n.target,
	n.path AS zoom
FROM io_at n LEFT JOIN io_at b ON b.look = :since AND b.path = n.path AND b.target = n.target
JOIN seen_path p ON p.path = n.path JOIN seen_function f USING (function)
WHERE n.look = :now AND (:zoom = 0 OR n.path IN below)
	AND n.calls > IFNULL(b.calls, 0) AND (:filter = ''
	OR instr(lower(f.name), lower(:filter)) OR instr(lower(n.target), lower(:filter)));

-- :name steps
SELECT (n.mark_count - IFNULL(b.mark_count, 0)) / :span AS marks_per_s,
	CASE n.kind WHEN 1 THEN (n.sum - IFNULL(b.sum, 0))
		/ NULLIF(n.value_count - IFNULL(b.value_count, 0), 0) END AS mean_ns,
	n.last, CASE n.kind WHEN 1 THEN 'step' ELSE 'counter' END AS kind, n.name, NULL AS zoom
FROM series_at n LEFT JOIN series_at b
	ON b.look = :since AND b.kind = n.kind AND b.name = n.name
WHERE n.look = :now AND (:filter = '' OR instr(lower(n.name), lower(:filter)));
