-- SPDX-License-Identifier: MIT
-- The runs of a file as repetitions. A unit is one run, or all ranks of one job. Units with the
-- same label form a group; without labels, units with the same command and build do. Must not
-- trust labels, jobs or builds: any text may stand there.
--
-- A launcher that starts n processes gives n runs with one job and different ranks. If a rank
-- occurs twice in a job, another program was started in it (or the launcher reused the number):
-- the second one is another unit.

-- unit: the run of the lowest rank, which represents the unit. job: the same in every file.
-- :with listed_runs
WITH turns AS (SELECT *, CASE WHEN job <> '' AND rank >= 0 THEN
	ROW_NUMBER() OVER (PARTITION BY job, rank ORDER BY run_id) END AS turn FROM runs)
SELECT run_id, NULLIF(label, '') AS label, NULLIF(command, '') AS command,
	turn || ' ' || job AS job, CASE WHEN turn IS NULL THEN run_id ELSE FIRST_VALUE(run_id)
	OVER (PARTITION BY job, turn ORDER BY rank, run_id) END AS unit
FROM turns

-- The runs of the groups of the units :unit and :other (NULL: no group). A run is of another
-- build if its first program, or a program or hooked library at the same path, has another
-- build-id. Ranks of one job may run several programs.
-- :with members
WITH firsts AS (SELECT run_id, build_id, MIN(process_id) FROM processes GROUP BY run_id),
apart AS (SELECT a.run_id AS head, b.run_id FROM processes a JOIN processes b
	ON b.executable = a.executable AND b.build_id <> a.build_id WHERE a.run_id IN (:unit, :other)
	UNION SELECT a.run_id, b.run_id FROM module a JOIN module b
	ON b.path = a.path AND b.build_id <> a.build_id WHERE a.run_id IN (:unit, :other)
	AND a.module_id IN (SELECT module_id FROM function
		WHERE run_id IN (:unit, :other) AND calls > 0)
	UNION SELECT a.run_id, b.run_id FROM firsts a JOIN firsts b ON b.build_id <> a.build_id
	WHERE a.run_id IN (:unit, :other))
SELECT w.run_id AS head, m.run_id, m.job, m.unit
FROM listed_runs w JOIN listed_runs m JOIN listed_runs u ON u.run_id = m.unit
WHERE w.run_id IN (:unit, :other) AND (u.unit = w.unit
	OR u.label IS w.label AND (u.label IS NOT NULL OR u.command IS w.command))
	AND (w.label IS NOT NULL OR (w.run_id, u.run_id) NOT IN apart)

-- :name group
SELECT run_id, job FROM members WHERE head = :unit ORDER BY run_id;

-- :name unit
SELECT run_id, job FROM listed_runs WHERE unit = :unit ORDER BY run_id;

-- All runs that a word means: it is a run's number, or else a label.
-- :name word
WITH hit AS (SELECT * FROM listed_runs WHERE CAST(run_id AS TEXT) = :word)
SELECT run_id, job FROM hit
UNION ALL SELECT run_id, job FROM listed_runs WHERE label = :word AND NOT EXISTS (SELECT 1 FROM hit)
ORDER BY run_id;

-- The unit of the last run, the number of units, and the unit before the last.
-- :name latest
SELECT unit, (SELECT COUNT(DISTINCT unit) FROM listed_runs) AS unit_count, (SELECT unit
	FROM listed_runs WHERE unit <> l.unit ORDER BY run_id DESC LIMIT 1) AS other
FROM listed_runs l ORDER BY run_id DESC LIMIT 1;

-- The latest run outside the group of :unit. A labelled group is compared with labelled runs
-- only, since a run without a label may be anything. The group that began first is "before",
-- unless the labels say otherwise: interleaved runs may begin with either.
-- :name other
SELECT h.unit, CASE WHEN h.label = 'after' OR l.label = 'before' THEN 0
	WHEN h.label = 'before' OR l.label = 'after' THEN 1
	ELSE (SELECT MIN(s.run_id) FROM listed_runs s JOIN listed_runs t ON t.run_id = s.unit
		WHERE t.unit = h.unit OR t.label = h.label) < (SELECT MIN(run_id) FROM members) END
	AS is_before
FROM listed_runs r JOIN listed_runs h ON h.run_id = r.unit JOIN listed_runs l ON l.run_id = :unit
WHERE r.run_id NOT IN (SELECT run_id FROM members) AND (h.label IS NULL) = (l.label IS NULL)
ORDER BY r.run_id DESC LIMIT 1;

-- The group that was chosen without being named, when some unlabelled units belong to no group.
-- :name taken
SELECT *, (SELECT command FROM listed_runs WHERE run_id = :unit) AS command
FROM (SELECT COUNT(*) AS left_out, (SELECT COUNT(*) FROM members WHERE head = :unit AND run_id = unit)
	AS taken FROM listed_runs WHERE run_id = unit AND label IS NULL
	AND run_id NOT IN (SELECT run_id FROM members))
WHERE left_out AND (SELECT label FROM listed_runs WHERE run_id = :unit) IS NULL;
