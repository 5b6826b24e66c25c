-- SPDX-License-Identifier: MIT
-- :rule T13 start-up-cost: A slow start
-- :about constructors before main(), or the code before the first step, take a large
-- share of the run
-- :says start-up takes {start_ns}, {held} of the run
-- :needs calls wall cpu time
-- :specific 1
-- :limit run_share = 0.3 ratio, at most 1: share of the run before main() or the first step
-- :limit least_ns = 500000000 ns: the same as a duration; either is enough
-- :limit never_ns = 20000000 ns, not above least_ns: a shorter start is no finding, whatever
-- its share
-- :limit usual_share = 0.1 ratio, not above run_share: share that a start may take: what
-- exceeds it counts as the gain
-- :evidence start_ns ns, crossed least_ns: start-up
-- :evidence held percent, crossed run_share: share of the run
-- :evidence before_main_ns ns: before main()
-- :evidence waited_ns ns: CPU wait in it, at most
-- :advice build data when it is first needed
-- :advice build tables at compile time, or cache what was parsed
-- :advice {remedy}
-- :speaks constructors before `main()`, or everything before the first step, take 30 % of the run
-- or 500 ms
-- :gains what is above 10 % of the run
-- :unseen the dynamic linker, which ends before the recording begins; how many hook calls came
-- before the first step (a proportional part is assumed)

-- :unmeasured
SELECT 'main() is not instrumented' WHERE NOT EXISTS (SELECT 1 FROM path JOIN function f
	USING (function_id) WHERE path.run_id = :run AND depth = 1 AND kind <> 1
		AND f.name = 'main');

-- :query
-- path_ids of a thread rise in the order of first entry, so paths from constructors come
-- before main(), paths from exit handlers after it. A run with one lane has no path_lane.
-- first_ns: clock time, hooks included. How much of that cost came before the step is not
-- known: the run's share is assumed. (unrtf reads for a third of its time, and was reported
-- with the whole run.) ready_ns: the first thread's waits for a CPU less those in its steps;
-- how much came after the last step is not known. Steps inside others wait with them, so the
-- name that waited most counts. Which thread made all steps of a name is not known: the
-- slowest and the fastest tell.
WITH main AS (SELECT MIN(path_id) AS path_id FROM path JOIN function f USING (function_id)
	WHERE path.run_id = :run AND depth = 1 AND kind <> 1 AND f.name = 'main'),
before AS (SELECT p.path_id, p.total_ns AS all_ns,
		MAX(0, p.total_ns - p.ready_ns - p.total_error_ns) AS ns FROM path p, main
	WHERE p.run_id = :run AND p.parent_path_id IS NULL AND p.kind = 0
		AND p.path_id < main.path_id
		AND (NOT EXISTS (SELECT 1 FROM path_lane WHERE path_id = main.path_id)
		OR EXISTS (SELECT 1 FROM path_lane a JOIN path_lane b USING (lane_id)
			WHERE a.path_id = p.path_id AND b.path_id = main.path_id))),
constructors AS (SELECT TOTAL(ns) AS ns FROM before),
largest AS (SELECT path_id, ns FROM before ORDER BY all_ns DESC, path_id LIMIT 1),
steps AS (SELECT s.name AS step, MIN(s.first_ns - p.started_ns) AS first_ns,
		COALESCE(t.ready_ns, 0) - COALESCE((SELECT MAX(o.ready_ns) FROM step_totals o
			WHERE o.run_id = :run AND o.process_id = s.process_id AND NOT EXISTS (
				SELECT 1 FROM step_extremes e WHERE e.run_id = :run AND e.series_id
				= o.series_id AND e.lane_id IS NOT t.lane_id)), 0) AS ready_ns
	FROM step_totals s JOIN processes p USING (process_id)
	LEFT JOIN threads t ON t.process_id = p.process_id AND t.tid = p.pid
	WHERE s.run_id = :run AND p.parent_process_id IS NULL),
first AS (SELECT step, first_ns * :run_ns / MAX(1, :run_ns + :run_hooks_ns) AS ns, ready_ns
	FROM steps),
served AS (SELECT step, ns - MIN(ready_ns, ns) AS ns, MIN(ready_ns, ns) AS ready_ns
	FROM first),
start AS (SELECT c.ns AS before_main_ns, MAX(c.ns, IFNULL(s.ns, 0)) AS start_ns,
		IFNULL(s.ns, 0) > c.ns AS by_step, s.step, s.ready_ns
	FROM constructors c, served s)
SELECT CASE WHEN (SELECT ns FROM largest) >= start_ns / 2 THEN (SELECT path_id FROM largest)
	ELSE (SELECT path_id FROM main) END AS path_id, start_ns, start_ns / :run_ns AS held,
	before_main_ns, CASE WHEN by_step AND ready_ns > 0 THEN ready_ns END AS waited_ns,
	MAX(0, start_ns - :usual_share * :run_ns) AS saving_ns, 2 - by_step AS confidence, step,
	CASE WHEN by_step THEN 'that much of the run had passed when the first step '
		|| '''{step}'' began'
		ELSE 'constructors ran before main() was entered' END AS why,
	CASE WHEN by_step THEN 'begin the steps while another thread loads the rest'
		ELSE 'use fewer static objects with constructors, and load fewer libraries early' END
		AS remedy,
	CASE WHEN by_step THEN 'SELECT s.name, MIN(s.first_ns - p.started_ns) AS first_step_ns FROM '
			|| 'step_totals s JOIN processes p USING (process_id) WHERE s.run_id = {run} '
			|| 'AND p.parent_process_id IS NULL'
		ELSE 'SELECT path_id, name, calls, total_ns FROM call_paths WHERE run_id = {run} '
			|| 'AND parent_path_id IS NULL AND kind = ''function'' ORDER BY path_id' END
		AS proof
FROM start WHERE start_ns >= :never_ns
	AND (start_ns >= :least_ns OR start_ns >= :run_share * :run_ns);
