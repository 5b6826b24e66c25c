-- SPDX-License-Identifier: MIT
-- What the archive asks of its own tables (tables.sql).

-- :name known
SELECT run_id FROM archived WHERE token = :token AND host = :host;

-- :name insert_run
INSERT INTO archived (token, host, schema, program, workload, label, command, started_utc, level,
	cpu_model, build_id, plain_of, job, complete, wall_ns, self_ns, self_error_ns, self_cpu_ns,
	calls, alloc_count, alloc_bytes, peak_bytes, live_bytes_at_exit)
VALUES (:token, :host, :schema, :program, :workload, :label, :command, :started_utc, :level,
	:cpu_model, :build_id, :plain_of, :job, :complete, :wall_ns, :self_ns, :self_error_ns,
	:self_cpu_ns, :calls, :alloc_count, :alloc_bytes, :peak_bytes, :live_bytes_at_exit);

-- :name insert_packed
INSERT INTO packed VALUES (:run, :reference, :size_bytes, :rows);

-- :name insert_tag
INSERT INTO tag VALUES (:run, :name, :value) ON CONFLICT DO UPDATE SET value = excluded.value;

-- The latest run of the program that is no difference itself.
-- :name reference
SELECT p.run_id, length(p.rows) FROM packed p JOIN archived a USING (run_id)
JOIN archived n ON n.run_id = :run AND n.program = a.program AND n.schema = a.schema
WHERE p.reference_id IS NULL ORDER BY n.workload = a.workload AND n.level IS a.level DESC, p.run_id DESC LIMIT 1;

-- :name insert_subject
INSERT INTO subject (name, file) VALUES (:name, :file) ON CONFLICT DO NOTHING;

-- Two functions with one name in files of one name are one.
-- :name insert_measured
INSERT INTO measured SELECT :run, subject_id, :recording, :calls, :cpu_ns, :error_ns, :total_ns
FROM subject WHERE name = :name AND file = :file AND (:recording OR :calls OR :cpu_ns OR :error_ns OR :total_ns)
ON CONFLICT DO UPDATE SET recording = MAX(recording, excluded.recording),
	calls = calls + excluded.calls, cpu_ns = cpu_ns + excluded.cpu_ns,
	error_ns = error_ns + excluded.error_ns, total_ns = total_ns + excluded.total_ns;

-- :name insert_besides
INSERT INTO besides SELECT :run, subject_id, :blocked_ns, :alloc_count, :alloc_bytes, :peak_bytes
FROM subject WHERE name = :name AND file = :file AND (:blocked_ns OR :alloc_count OR :alloc_bytes OR :peak_bytes)
ON CONFLICT DO UPDATE SET blocked_ns = blocked_ns + excluded.blocked_ns,
	alloc_count = alloc_count + excluded.alloc_count,
	alloc_bytes = alloc_bytes + excluded.alloc_bytes,
	peak_bytes = peak_bytes + excluded.peak_bytes;

-- :name packed
SELECT p.reference_id, p.rows, a.schema FROM packed p JOIN archived a USING (run_id)
WHERE p.run_id = :run;

-- A word is a run's number, or else a label or a tag.
-- :name wanted
WITH numbered AS (SELECT run_id FROM archived WHERE CAST(run_id AS TEXT) = :word)
SELECT run_id FROM numbered
UNION SELECT run_id FROM archived WHERE (:word IS NULL OR label = :word
	OR run_id IN (SELECT run_id FROM tag WHERE name || '=' || value = :word OR value = :word
		AND name IN ('version', 'commit', 'branch')))
	AND NOT EXISTS (SELECT 1 FROM numbered)
ORDER BY run_id DESC;

-- The runs that belong to one: ranks of its job, the plain build beside it.
-- :name together
SELECT o.run_id FROM archived r JOIN archived o ON o.run_id <> r.run_id
	AND (o.job <> '' AND o.job = r.job OR o.plain_of = r.token OR o.token = r.plain_of)
WHERE r.run_id = :run ORDER BY o.run_id;
