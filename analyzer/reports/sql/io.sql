-- SPDX-License-Identifier: MIT
-- :report io: what was read and written, by file and by call path
-- :takes run limit sort filter
-- :example prof-analyze io run.db --sort write_bytes
-- :about
-- libc calls that move data or work on files, by what their descriptors refer to: a file by
-- its path at opening, a socket's peer, a pipe. small % is the share of reads and writes
-- that moved less than 4 KiB, seq % the share that continued in the file where the one
-- before had ended. Calls that only name a path (stat, unlink) and failed opens share one
-- row, [paths]. Calls of stdio (fread, fprintf) are listed when the stream's buffer could
-- not serve them. The last lines show what the kernel counted as read and written, and how
-- much of that these calls do not account for. --sort takes any json column of the files.
-- --focus and --ignore look at every function of the call path, and leave out the kernel's
-- count.

-- :keep moved
SELECT *, operation IN ('read', 'write') AS is_data FROM io
WHERE run_id = :run AND is_chosen(path_id);

-- :note no_io
SELECT 'No libc call that moves data or works on files was recorded.' AS text
WHERE NOT EXISTS (SELECT 1 FROM moved);

-- :table files main sort rows=20 noun=file weight=total_ns,the_time = By file, peer or pipe
WITH f AS (SELECT file, kind, SUM(calls) AS calls, SUM(total_ns) AS total_ns,
	IFNULL(SUM(bytes) FILTER (WHERE operation = 'read'), 0) AS read_bytes,
	IFNULL(SUM(bytes) FILTER (WHERE operation IN ('write', 'close')), 0) AS write_bytes,
	IFNULL(SUM(calls) FILTER (WHERE is_data), 0) AS data_calls,
	IFNULL(SUM(calls) FILTER (WHERE operation = 'open'), 0) AS open_calls,
	IFNULL(SUM(calls) FILTER (WHERE operation = 'sync'), 0) AS sync_calls,
	IFNULL(SUM(total_ns) FILTER (WHERE operation = 'sync'), 0) AS sync_ns,
	SUM(small_calls) AS small_calls, SUM(sequential_calls) AS sequential_calls,
	SUM(failed_calls) AS failed_calls, MAX(largest_bytes) AS largest_bytes
	FROM moved GROUP BY file, kind)
SELECT total_ns AS "time!:total_ns", calls AS "calls!:calls", read_bytes AS "read!:read_bytes",
	write_bytes AS "written!:write_bytes", data_calls AS ".data_calls",
	CAST((1.0 * read_bytes + write_bytes) / NULLIF(data_calls, 0) AS INTEGER)
	AS ".average_bytes",
	largest_bytes AS ".largest_bytes", small_calls AS ".small_calls",
	100.0 * small_calls / NULLIF(data_calls, 0) AS "small %:small_percent",
	sequential_calls AS ".sequential_calls",
	-- only files have offsets, so only they can be sequential
	CASE kind WHEN 'file' THEN 100.0 * sequential_calls / NULLIF(data_calls, 0) END
	AS "seq %:sequential_percent",
	sync_calls AS "syncs:sync_calls", open_calls AS "opens:open_calls",
	sync_ns AS ".sync_ns", failed_calls AS ".failed_calls", kind AS ".kind",
	file AS "file!:file"
FROM f ORDER BY total_ns DESC, file NULLS LAST;

-- If a path used several files, no file is named.
-- :table io_paths rows=20 details=5 noun=path weight=total_ns,the_time = By call path
SELECT SUM(m.total_ns) AS "time!:total_ns", SUM(m.calls) AS "calls!:calls",
	CASE WHEN m.is_data THEN SUM(m.bytes) END AS "bytes!:bytes",
	CASE WHEN m.is_data THEN SUM(m.bytes) / NULLIF(SUM(m.calls), 0) END
	AS "avg:average_bytes",
	SUM(m.small_calls) AS ".small_calls", SUM(m.failed_calls) AS ".failed_calls",
	COUNT(DISTINCT m.file) AS "files:file_count", m.name AS "call!:name",
	m.operation AS ".operation", (SELECT c.name FROM call_paths p JOIN call_paths c
	ON c.run_id = p.run_id AND c.path_id = p.parent_path_id
	WHERE p.run_id = :run AND p.path_id = m.path_id) AS "in!:caller/name",
	CASE WHEN COUNT(DISTINCT m.file) <= 1 THEN MIN(m.file) END AS "file:>file",
	m.path_id AS "path:>path", m.path_id AS ".path_id"
FROM moved m GROUP BY m.path_id, m.name, m.operation ORDER BY 1 DESC, m.name;

-- What the kernel counted and no recorded call moved. Not shown with --focus or --ignore, where
-- it means nothing.
-- :values kernel = By the kernel's count
SELECT SUM(value) FILTER (WHERE name = 'kernel_read_bytes') AS "read:?kernel_read_bytes",
	SUM(value) FILTER (WHERE name = 'unseen_read_bytes')
	AS "not by calls above:?unseen_read_bytes",
	SUM(value) FILTER (WHERE name = 'kernel_write_bytes') AS "written:?kernel_write_bytes",
	SUM(value) FILTER (WHERE name = 'unseen_write_bytes')
	AS "not by calls above:?unseen_write_bytes",
	SUM(value) FILTER (WHERE name = 'uncompared_processes')
	AS "processes that did not tell:?uncompared_processes/count"
FROM trust WHERE run_id = :run AND NOT :is_filtered AND name IN ('kernel_read_bytes',
	'kernel_write_bytes', 'unseen_read_bytes', 'unseen_write_bytes', 'uncompared_processes')
HAVING COUNT(DISTINCT name) = 5;

-- :nothing
