-- SPDX-License-Identifier: MIT
-- What calls of libc moved, and on which files they worked. "data calls" are those that
-- read or write.

-- :name files
SELECT file, kind, SUM(calls) AS calls, SUM(total_ns) AS total_ns,
	SUM(CASE operation WHEN 'read' THEN bytes ELSE 0 END) AS read_bytes,
	SUM(CASE WHEN operation IN ('write', 'close') THEN bytes ELSE 0 END) AS write_bytes,
	SUM(CASE WHEN operation IN ('read', 'write') THEN calls ELSE 0 END) AS data_calls,
	SUM(CASE operation WHEN 'open' THEN calls ELSE 0 END) AS open_calls,
	SUM(CASE operation WHEN 'sync' THEN calls ELSE 0 END) AS sync_calls,
	SUM(CASE operation WHEN 'sync' THEN total_ns ELSE 0 END) AS sync_ns,
	SUM(small_calls) AS small_calls, SUM(sequential_calls) AS sequential_calls,
	SUM(failed_calls) AS failed_calls, MAX(largest_bytes) AS largest_bytes
FROM io WHERE run_id = :run
	AND (:paths IS NULL OR path_id IN (SELECT value FROM json_each(:paths)))
GROUP BY file, kind;

-- :name unseen
SELECT name, SUM(value) AS value FROM trust WHERE run_id = :run AND name IN
	('kernel_read_bytes', 'kernel_write_bytes', 'unseen_read_bytes',
	'unseen_write_bytes', 'uncompared_processes') GROUP BY name;

-- :name paths
SELECT i.path_id, i.name, i.operation, SUM(i.calls) AS calls,
	SUM(i.total_ns) AS total_ns, SUM(i.bytes) AS bytes,
	SUM(i.small_calls) AS small_calls, SUM(i.failed_calls) AS failed_calls,
	COUNT(DISTINCT i.file) AS file_count, MIN(i.file) AS file,
	(SELECT c.name FROM call_paths p JOIN call_paths c
	ON c.run_id = p.run_id AND c.path_id = p.parent_path_id
	WHERE p.run_id = :run AND p.path_id = i.path_id) AS caller
FROM io i WHERE i.run_id = :run
	AND (:paths IS NULL OR i.path_id IN (SELECT value FROM json_each(:paths)))
GROUP BY i.path_id, i.name, i.operation;
