-- SPDX-License-Identifier: MIT
-- What the command history reads and keeps; analyzer/reports/sql/history.sql shows it.

-- The runs that can be compared with the latest one that has the tags: of its workload, host,
-- processor and level. place: from 0, in the order in which they were recorded; but runs of one
-- version stand together, and of one commit, for those of several are recorded in turns.
-- :name chosen_runs
WITH tagged AS (SELECT a.*, ROW_NUMBER() OVER (ORDER BY started_utc DESC, run_id DESC) AS age
	FROM archived a WHERE (SELECT COUNT(*) FROM wanted_tags w JOIN tag t ON t.run_id = a.run_id
		AND t.name || '=' || t.value = w.tag) = (SELECT COUNT(*) FROM wanted_tags)),
newest AS (SELECT workload, host, cpu_model, level, started_utc, token FROM gated
	UNION ALL SELECT workload, host, cpu_model, level, NULL, NULL FROM tagged
	WHERE age = 1 AND NOT EXISTS (SELECT 1 FROM gated)),
alike AS (SELECT t.*, (SELECT value FROM tag g WHERE g.run_id = t.run_id AND g.name = 'version') AS version,
	(SELECT value FROM tag g WHERE g.run_id = t.run_id AND g.name = 'commit') AS "commit"
	FROM tagged t JOIN newest n ON n.workload = t.workload AND n.host = t.host
	AND n.cpu_model IS t.cpu_model AND n.level IS t.level
	AND (n.token IS NULL OR t.started_utc <= n.started_utc AND t.token <> n.token)),
begun AS (SELECT *, MIN(started_utc) OVER (PARTITION BY IFNULL(version, run_id)) AS version_utc,
	MIN(started_utc) OVER (PARTITION BY COALESCE("commit", version, run_id)) AS commit_utc FROM alike)
SELECT ROW_NUMBER() OVER (ORDER BY version_utc, version, commit_utc, "commit", started_utc, run_id) - 1 AS place,
	DENSE_RANK() OVER (ORDER BY version_utc, version, commit_utc, "commit",
		IIF(version IS NULL AND "commit" IS NULL, run_id, NULL)) AS build, *
FROM begun;

-- :name latest
SELECT run_id FROM chosen_runs ORDER BY started_utc DESC, run_id DESC LIMIT 1;

-- Which of them are of one version and commit.
-- :name builds
SELECT place, build FROM chosen_runs;

-- The run that --gate judges, as in archived; no row without --gate.
-- :name gated
SELECT '' AS token, '' AS host, '' AS workload, '' AS cpu_model, '' AS level, '' AS started_utc, 0 AS calls,
	0 AS self_cpu_ns, 0 AS self_ns, 0 AS self_error_ns, 0 AS wall_ns, 0 AS alloc_count, 0 AS alloc_bytes, 0 AS peak_bytes WHERE 0;

-- :name gated_functions
SELECT '' AS name, '' AS file, 0 AS recording, 0 AS calls, 0 AS cpu_ns, 0 AS error_ns, 0 AS total_ns,
	0 AS blocked_ns, 0 AS alloc_count, 0 AS alloc_bytes, 0 AS peak_bytes WHERE 0;

-- It is behind the others.
-- :name gated_totals
SELECT (SELECT COUNT(*) FROM chosen_runs) AS place, 0 AS subject_id, 0 AS recording, calls, IFNULL(self_cpu_ns, self_ns) AS cpu_ns,
	IFNULL(self_error_ns, 0) AS error_ns,
	wall_ns AS total_ns, 0 AS blocked_ns, alloc_count, alloc_bytes, peak_bytes FROM gated;

-- :name gated_values
SELECT (SELECT COUNT(*) FROM chosen_runs) AS place, subject_id, MAX(recording) AS recording, SUM(calls) AS calls,
	SUM(cpu_ns) AS cpu_ns, SUM(error_ns) AS error_ns, SUM(total_ns) AS total_ns, SUM(blocked_ns) AS blocked_ns,
	SUM(alloc_count) AS alloc_count, SUM(alloc_bytes) AS alloc_bytes, SUM(peak_bytes) AS peak_bytes
FROM gated_functions JOIN subject USING (name, file) WHERE subject_id BETWEEN :first AND :last GROUP BY subject_id;

-- low and high: of the level before; low_ratio: with 95 % the least that the new run has of it.
-- :name gate_checks
SELECT 0 AS subject_id, '' AS quantity, 0 AS is_exact, 0 AS runs, 0.0 AS before, 0.0 AS low, 0.0 AS high,
	0.0 AS after, 0.0 AS low_ratio, 0.0 AS high_ratio, 0.0 AS p, '' AS result WHERE 0;

-- :name wanted_tags
SELECT '' AS tag WHERE 0;

-- :name subjects
SELECT MAX(subject_id) AS subject_id FROM subject;

-- :name count
SELECT COUNT(*) AS runs FROM chosen_runs;

-- The functions that FUNC means: of that name, or else with it in their name.
-- :name named
WITH exact AS (SELECT subject_id, name, file FROM subject WHERE name = :argument)
SELECT * FROM exact UNION ALL SELECT subject_id, name, file FROM subject
WHERE instr(name, :argument) AND NOT EXISTS (SELECT 1 FROM exact) ORDER BY name, file;

-- Of one function the key of measured finds the rows.
-- :name values
SELECT c.place, m.subject_id, m.recording, m.calls, m.cpu_ns, m.total_ns, m.error_ns,
	IFNULL(b.blocked_ns, 0) AS blocked_ns, IFNULL(b.alloc_count, 0) AS alloc_count,
	IFNULL(b.alloc_bytes, 0) AS alloc_bytes, IFNULL(b.peak_bytes, 0) AS peak_bytes
FROM chosen_runs c CROSS JOIN measured m ON m.run_id = c.run_id AND m.subject_id BETWEEN :first AND :last
LEFT JOIN besides b ON b.run_id = m.run_id AND b.subject_id = m.subject_id;

-- The run as a whole is subject 0.
-- :name totals
SELECT place, 0 AS subject_id, 0 AS recording, calls, IFNULL(self_cpu_ns, self_ns) AS cpu_ns,
	wall_ns AS total_ns, 0 AS blocked_ns, alloc_count, alloc_bytes, peak_bytes,
	IFNULL(self_error_ns, 0) AS error_ns FROM chosen_runs;

-- :name level_changes
SELECT 0 AS subject_id, '' AS quantity, 0 AS place, 0.0 AS before, 0.0 AS after, 0.0 AS low,
	0.0 AS high, 0 AS is_exact, 0 AS is_drift WHERE 0;

-- What a function has now: the level since the last change.
-- :name present_levels
SELECT 0 AS subject_id, '' AS quantity, 0 AS runs, 0.0 AS median, 0.0 AS low, 0.0 AS high,
	0.0 AS latest, 0.0 AS first WHERE 0;

-- The first and the last run that a function is in.
-- :name there
SELECT 0 AS subject_id, 0 AS first, 0 AS last WHERE 0;

-- :name not_compared
SELECT 0 AS small, 0 AS otherwise WHERE 0;
