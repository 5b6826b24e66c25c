-- SPDX-License-Identifier: MIT
-- Tables in memory with the numbers of looks at a run. Functions and paths keep their numbers
-- over all looks. Amounts never fall: each look has those of the run so far.

-- :name tables
CREATE TABLE seen_function (function INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE seen_path (path INTEGER PRIMARY KEY, parent INTEGER NOT NULL,
	function INTEGER NOT NULL, kind INTEGER NOT NULL, is_outermost INTEGER NOT NULL);
CREATE INDEX seen_path_parent ON seen_path(parent);
CREATE TABLE node_at (calls, total_ns, cpu_ns, error_ns, ready_ns, blocked_ns, alloc_count,
	max_ns, recording, alloc_bytes, look INTEGER, is_path INTEGER, number INTEGER,
	PRIMARY KEY (look, is_path, number)) WITHOUT ROWID;
CREATE TABLE site_at (file, line, alloc_count, alloc_bytes, free_bytes, live_count,
	live_bytes, look INTEGER, path INTEGER,
	PRIMARY KEY (look, path, file, line)) WITHOUT ROWID;
CREATE TABLE io_at (target, calls, read_bytes, written_bytes, total_ns, look INTEGER,
	path INTEGER, PRIMARY KEY (look, path, target)) WITHOUT ROWID;
CREATE TABLE series_at (kind, name, mark_count, value_count, sum, last, look INTEGER,
	PRIMARY KEY (look, kind, name)) WITHOUT ROWID;
CREATE TABLE thread_at (look INTEGER, pid INTEGER, tid INTEGER, name TEXT, cpu_ns, ready_ns,
	path INTEGER, PRIMARY KEY (look, pid, tid)) WITHOUT ROWID;

-- The first parameters of the statements below are the columns read by the queries.
-- :name put_function
INSERT OR REPLACE INTO seen_function VALUES (:function, :name);
-- :name put_path
INSERT INTO seen_path VALUES (:path, :parent, :function, :kind, :is_outermost);
-- :name put_node_at
INSERT INTO node_at VALUES (:calls, :total_ns, :cpu_ns, :error_ns, :ready_ns, :blocked_ns,
	:alloc_count, :max_ns, :recording, :alloc_bytes, :look, :is_path, :number);
-- :name put_site_at
INSERT INTO site_at VALUES (:file, :line, :alloc_count, :alloc_bytes, :free_bytes,
	:live_count, :live_bytes, :look, :path);
-- :name put_io_at
INSERT INTO io_at VALUES (:target, :calls, :read_bytes, :written_bytes, :total_ns, :look,
	:path);
-- :name put_series_at
INSERT INTO series_at VALUES (:kind, :name, :mark_count, :value_count, :sum, :last, :look);
-- :name put_thread_at
INSERT OR REPLACE INTO thread_at
	VALUES (:look, :pid, :tid, :name, :cpu_ns, :ready_ns, :path);

-- What a look reads of the run; pid 0: of all processes.
-- :name stored
SELECT run_id FROM run WHERE token = :token;

-- :name facts
SELECT r.wall_ns, r.overhead_percent,
	(SELECT COUNT(*) FROM process p WHERE p.run_id = :run AND :pid IN (0, p.pid))
		AS process_count,
	(SELECT COUNT(*) FROM process p WHERE p.run_id = :run AND :pid NOT IN (0, p.pid))
		AS other_count,
	(SELECT TOTAL(live_bytes_at_exit) FROM process p
		WHERE p.run_id = :run AND :pid IN (0, p.pid)) AS live_bytes,
	(SELECT executable FROM process p WHERE p.run_id = :run AND :pid IN (0, p.pid)
		ORDER BY CASE :pid WHEN 0 THEN started_ns ELSE -started_ns END LIMIT 1)
		AS executable,
	(SELECT pid FROM process p WHERE p.run_id = :run AND :pid IN (0, p.pid)
		ORDER BY started_ns LIMIT 1) AS first_pid
FROM run r WHERE r.run_id = :run;

-- :name functions
SELECT f.function_id, f.name, IFNULL(f.full_name, f.name) AS full_name, f.linkage_name,
	m.path AS module, f.file, f.line, f.calls, f.total_ns,
	f.self_ns - f.self_ready_ns - f.self_blocked_ns AS cpu_ns, f.self_error_ns,
	f.self_ready_ns, f.self_blocked_ns, f.alloc_count, f.max_ns, f.recording, f.alloc_bytes
FROM function f LEFT JOIN module m USING (module_id)
WHERE f.run_id = :run ORDER BY f.function_id;

-- :name paths
SELECT p.path_id, p.parent_path_id, p.function_id, p.kind,
	p.host_path_id IS NOT NULL AS is_inlined, p.calls, p.total_ns,
	p.self_ns - p.self_ready_ns - p.self_blocked_ns AS cpu_ns, p.self_error_ns,
	p.self_ready_ns, p.self_blocked_ns, p.alloc_count, p.max_ns, f.recording,
	p.alloc_bytes
FROM path p JOIN function f USING (function_id) WHERE p.run_id = :run ORDER BY p.path_id;

-- :name paths_of_process
SELECT p.path_id, p.parent_path_id, p.function_id, p.kind,
	p.host_path_id IS NOT NULL AS is_inlined, TOTAL(l.calls) AS calls,
	TOTAL(l.total_ns) AS total_ns,
	TOTAL(l.self_ns - l.self_ready_ns - l.self_blocked_ns) AS cpu_ns,
	TOTAL(l.self_error_ns) AS self_error_ns, TOTAL(l.self_ready_ns),
	TOTAL(l.self_blocked_ns), TOTAL(l.alloc_count), p.max_ns, f.recording,
	TOTAL(l.alloc_bytes)
FROM path p JOIN function f USING (function_id)
LEFT JOIN path_lane l ON l.path_id = p.path_id AND l.lane_id IN (SELECT lane_id FROM lane
	JOIN process o USING (process_id) WHERE o.pid = :pid)
WHERE p.run_id = :run GROUP BY p.path_id ORDER BY p.path_id;

-- :name sites
SELECT path_id, IFNULL(file, '') AS file, IFNULL(line, 0) AS line,
	SUM(alloc_count), SUM(alloc_bytes), SUM(free_bytes), SUM(live_count), SUM(live_bytes)
FROM site WHERE run_id = :run GROUP BY 1, 2, 3;

-- Calls that copy have one more row, for where the bytes come from.
-- :name io
SELECT path_id, file, SUM(calls), SUM(CASE operation WHEN 'read' THEN bytes ELSE 0 END),
	SUM(CASE operation WHEN 'write' THEN bytes ELSE 0 END),
	SUM(CASE WHEN operation = 'read' AND name IN ('sendfile', 'copy_file_range', 'splice',
		'tee', 'vmsplice') THEN 0 ELSE total_ns END)
FROM io WHERE run_id = :run AND (:pid = 0 OR process_id IN (SELECT process_id
	FROM process WHERE run_id = :run AND pid = :pid))
GROUP BY 1, 2;

-- :name series
SELECT s.kind, s.name, SUM(s.mark_count), SUM(s.value_count), SUM(s.sum),
	CASE s.kind WHEN 1 THEN (SELECT duration_ns FROM step t WHERE t.run_id = :run
		AND t.name = s.name ORDER BY started_ns DESC LIMIT 1)
	ELSE (SELECT value FROM counter c WHERE c.run_id = :run AND c.name = s.name
		ORDER BY time_ns DESC LIMIT 1) END
FROM series s WHERE s.run_id = :run AND (CASE :pid WHEN 0 THEN s.process_id IS NULL
	ELSE s.process_id IN (SELECT process_id FROM process WHERE pid = :pid) END)
GROUP BY s.kind, s.name;

-- Totals over threads and functions between two looks.
-- :name totals
SELECT * FROM (SELECT COUNT(*) AS thread_count, TOTAL(n.cpu_ns - b.cpu_ns) AS cpu_ns,
		TOTAL(n.ready_ns - b.ready_ns) AS ready_ns
	FROM thread_at n LEFT JOIN thread_at b
		ON b.look = :since AND b.pid = n.pid AND b.tid = n.tid WHERE n.look = :now),
	(SELECT TOTAL(n.calls - IFNULL(b.calls, 0)) FILTER (WHERE p.kind = 0) AS calls,
		TOTAL(n.alloc_count - IFNULL(b.alloc_count, 0)) AS alloc_count,
		TOTAL(n.alloc_bytes - IFNULL(b.alloc_bytes, 0)) AS alloc_bytes
	FROM node_at n JOIN seen_path p ON p.path = n.number
	LEFT JOIN node_at b ON b.look = :since AND b.is_path = 1 AND b.number = n.number
	WHERE n.look = :now AND n.is_path = 1);
