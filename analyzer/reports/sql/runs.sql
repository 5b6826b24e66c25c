-- SPDX-License-Identifier: MIT
-- :report runs: the runs in the file
-- :takes limit sort
-- :example prof-analyze runs run.db --format json
-- :about
-- One line for each recorded run, oldest first; one for all ranks of a job (mpirun,
-- srun); 'ranks' shows each, as do json, csv and --sort. Every other command but 'sql'
-- takes the latest run unless --run names one by number or label.

-- Runs that still go on; they are not in the table of stored runs.
-- :note running
SELECT 'A further run is being recorded, of process {pid}.' AS text,
	'The other commands show it unless --run names a stored one.' AS advice,
	:running_pid AS pid WHERE :running_pid;

-- :note no_runs
SELECT 'The file holds no run.' AS text WHERE NOT EXISTS (SELECT 1 FROM runs);

-- unit: the first run of those that were started together.
-- :keep listed
WITH turns AS (SELECT *, CASE WHEN job <> '' AND rank IS NOT NULL THEN
	ROW_NUMBER() OVER (PARTITION BY job, rank ORDER BY run_id) END AS turn,
	ROW_NUMBER() OVER (ORDER BY run_id) AS place FROM runs)
SELECT *, CASE WHEN turn IS NULL THEN run_id
	ELSE MIN(run_id) OVER (PARTITION BY job, turn) END AS unit,
	(SELECT SUM(f.calls) FROM functions f WHERE f.run_id = turns.run_id) AS calls,
	CASE WHEN length(started_utc) >= 16
	THEN substr(replace(started_utc, 'T', ' '), 1, 16) ELSE started_utc END AS started,
	CASE WHEN :live_pid THEN 'running' WHEN exit_signal <> 0 THEN signal_name(exit_signal)
	WHEN NOT complete THEN 'incomplete' WHEN exit_code IS NOT NULL
	THEN 'exit ' || exit_code ELSE '?' END AS ended
FROM turns;

-- :table runs main sort quiet noun=run
SELECT run_id AS "run!:run_id", label AS "label!:label", started_utc AS ".started_utc",
	started AS "started (UTC):~started", wall_ns AS "wall!:wall_ns", calls AS "calls!:calls",
	alloc_count AS ".alloc_count", peak_bytes AS "peak:peak_bytes",
	complete AS ".complete/flag", exit_code AS ".exit_code/id",
	exit_signal AS ".exit_signal/id", ended AS "ended!:~end", command AS "command!:command",
	job AS ".job", rank AS ".rank", rank_count AS ".rank_count/id",
	NOT :is_sorted AND EXISTS (SELECT 1 FROM listed WHERE job IS NOT NULL)
	AS "-for_machines/flag"
FROM listed ORDER BY run_id;

-- People see one line for a job. It tells any rank's end that is not "exit 0".
-- :table jobs human optional noun=job
SELECT f.run_id || CASE WHEN COUNT(*) = 1 THEN '' ELSE
	CASE WHEN MAX(l.place) - MIN(l.place) + 1 = COUNT(*) THEN '-' ELSE '...' END
	|| MAX(l.run_id) END AS "runs!:runs",
	f.label AS "label!:label",
	CASE WHEN f.job IS NOT NULL THEN COUNT(*) || CASE WHEN f.rank_count > COUNT(*)
	THEN ' of ' || f.rank_count ELSE '' END END AS "ranks!:ranks",
	f.started AS "started (UTC):started", MAX(l.wall_ns) AS "wall!:wall_ns",
	CASE WHEN COUNT(l.calls) THEN CAST(TOTAL(l.calls) AS INTEGER) END AS "calls!:calls", CASE WHEN COUNT(l.peak_bytes) THEN CAST(TOTAL(l.peak_bytes) AS INTEGER) END
	AS "peak:peak_bytes",
	IFNULL((SELECT ended FROM listed o WHERE o.unit = f.unit AND o.ended <> 'exit 0'
	ORDER BY run_id DESC LIMIT 1), f.ended) AS "ended!:end", f.command AS "command!:command"
FROM listed f JOIN listed l USING (unit)
WHERE f.run_id = f.unit AND NOT :is_sorted
	AND EXISTS (SELECT 1 FROM listed WHERE job IS NOT NULL)
GROUP BY f.unit ORDER BY f.unit;
