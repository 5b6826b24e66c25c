-- SPDX-License-Identifier: MIT
-- The runs of a file as repetitions: a run, or all ranks of one job, is a unit; units of one
-- label, or without label of one command and build, are a group. Must not trust that labels,
-- jobs or builds are what they seem: any text may stand there.
--
-- A launcher begins n processes, which are recorded as n runs with the same job and
-- different ranks. When a job has a rank twice, another program was begun in it (or the
-- launcher used its number again): the second is another unit.

-- unit: the run that stands for it, of the lowest rank. job: the same in every file.
-- :with listed_runs
WITH turns AS (SELECT *, CASE WHEN job <> '' AND rank >= 0 THEN
	ROW_NUMBER() OVER (PARTITION BY job, rank ORDER BY run_id) END AS turn FROM runs)
SELECT run_id, NULLIF(label, '') AS label, NULLIF(command, '') AS command,
	turn || ' ' || job AS job, CASE WHEN turn IS NULL THEN run_id ELSE FIRST_VALUE(run_id)
	OVER (PARTITION BY job, turn ORDER BY rank, run_id) END AS unit
FROM turns;

-- :name runs
SELECT * FROM listed_runs ORDER BY run_id;

-- The runs of the group of a unit. Of another build is one in which a program, or a library with
-- hooks, that has the same place has another build-id; ranks of a job may be of several programs.
-- :name group
WITH wanted AS (SELECT * FROM listed_runs WHERE run_id = :unit),
others AS (SELECT b.run_id FROM processes b
	JOIN (SELECT DISTINCT executable, build_id FROM processes WHERE run_id = :unit) a
		ON b.executable = a.executable
	WHERE b.build_id != a.build_id
	UNION SELECT b.run_id FROM module b
	JOIN (SELECT path, build_id FROM module WHERE run_id = :unit AND module_id IN
		(SELECT module_id FROM function WHERE run_id = :unit
		AND recording != 'unwound')) a
		ON b.path = a.path
	WHERE b.build_id != a.build_id
	UNION SELECT run_id FROM processes
	WHERE process_id IN (SELECT MIN(process_id) FROM processes GROUP BY run_id)
		AND build_id != (SELECT build_id FROM processes WHERE run_id = :unit
			ORDER BY process_id LIMIT 1))
SELECT m.run_id FROM listed_runs m JOIN listed_runs u ON u.run_id = m.unit, wanted w
WHERE (u.unit = w.unit OR u.label IS w.label AND (u.label IS NOT NULL OR u.command IS w.command))
	AND (w.label IS NOT NULL OR u.run_id NOT IN others);
