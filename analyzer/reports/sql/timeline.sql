-- SPDX-License-Identifier: MIT
-- :report timeline: long calls, steps and waits over time, by thread
-- :takes run limit sort filter thread range
-- :example prof-analyze timeline run.db --from 1.2s --to 1.3s
-- :about
-- Long calls and steps were kept one by one while the program ran (PROFSHIM_SPANS, 10us
-- unless there were too many). Each thread has a row for each level of calls, which shows
-- whether a call mostly computed, waited for a CPU (runnable, not running) or was blocked.
-- Below are its steps, its waits for other threads, and snapshots. Where several fall into
-- one column, the longest is drawn: --from and --to zoom in; --format html draws more. Then
-- come slow calls by call path, and the longest ones one by one. Times are wall-clock
-- times, hooks included. Calls that were only counted to keep a budget are missing. The
-- column ended (json, csv) marks calls left by a jump or an exception, or open at the end
-- of their process.

-- :keep facts
SELECT MAX(value) FILTER (WHERE name = 'span_floor_ns') AS floor_ns,
	IFNULL(MAX(value) FILTER (WHERE name = 'spans_complete_ns'), 0) AS complete_ns,
	IFNULL(SUM(value) FILTER (WHERE name IN ('thinned_spans', 'lost_spans')), 0)
	AS dropped_count,
	(SELECT COUNT(*) FROM spans WHERE run_id = :run) AS kept_count,
	(SELECT SUM(wall_ns) FROM threads WHERE run_id = :run) AS thread_ns
FROM trust WHERE run_id = :run;

-- :note no_spans warning empty stop
SELECT 'No call was kept with its own time.' AS text, CASE WHEN floor_ns IS NULL
	THEN 'Record again with this profshim.' ELSE 'Record again without PROFSHIM_SPANS=off.'
	END AS advice
FROM facts WHERE IFNULL(floor_ns, 0) <= 0;

-- :end only_brief
SELECT 1 FROM facts WHERE IFNULL(floor_ns, 0) <= 0;

-- The processes and threads that were asked for.
-- :keep chosen
SELECT s.*, p.pid, t.tid, t.name AS thread
FROM spans s JOIN processes p USING (process_id)
	LEFT JOIN threads t ON t.thread_id = s.thread_id
WHERE s.run_id = :run AND s.started_ns <= :to AND s.started_ns + s.duration_ns >= :from
	AND (:thread IS NULL OR t.name = :thread OR CAST(t.tid AS TEXT) = :thread)
	AND passes(s.name);

-- :values timeline
SELECT '{from_ns} to {to_ns}' AS "shown:~shown",
	'{kept_count call} and steps of {span_floor_ns} and longer' || CASE WHEN thread_ns > 0
	THEN ', {rate} per second and thread' ELSE '' END AS "kept:~kept",
	CASE WHEN complete_ns > floor_ns THEN 'those of {spans_complete_ns} and longer; of
	shorter ones the longest, and some of each part of the run' END AS "all of:~all",
	CAST(kept_count * 1e9 / thread_ns + 0.5 AS INTEGER) AS "-rate/id",
	:from AS ".from_ns", :to AS ".to_ns", floor_ns AS ".span_floor_ns",
	complete_ns AS ".spans_complete_ns", kept_count AS ".kept_count",
	dropped_count AS ".dropped_count"
FROM facts;

-- :note counted_calls
SELECT '{count function} {count|was|were} only counted, always or most of the time, to
	keep the budget: only timed calls are here.' AS text,
	'PROFSHIM_LEVEL=exact times every call.' AS advice, :estimated_count AS count
WHERE :estimated_count;

-- :lanes lanes brief rows=12 = Over time
WITH named AS (SELECT *, CASE WHEN tid IS NULL AND thread IS NULL THEN NULL
	ELSE IFNULL(thread, 'thread') || ' (' || IFNULL(tid, 0) || ')' END AS whose,
	CASE WHEN (SELECT COUNT(*) FROM processes WHERE run_id = :run) > 1 AND tid IS NOT pid
	THEN ', process ' || pid ELSE '' END AS of_process
FROM (SELECT 1 AS part, pid, tid, thread, lane_id, thread_id, kind = 'step' AS is_step, name,
	started_ns, duration_ns, CASE WHEN cpu_ns IS NULL THEN 'unknown'
	WHEN cpu_ns >= IFNULL(ready_ns, 0) AND cpu_ns >= IFNULL(blocked_ns, 0) THEN 'computing'
	WHEN ready_ns > blocked_ns THEN 'ready' ELSE 'blocked' END AS state FROM chosen
UNION ALL SELECT 2, p.pid, t.tid, t.name, s.lane_id, t.thread_id, 0, IFNULL(l.name, s.kind),
	s.started_ns, s.wait_ns, 'blocked'
	FROM stall s JOIN process p USING (process_id)
	LEFT JOIN lock l ON l.run_id = s.run_id AND l.lock_id = s.lock_id
	LEFT JOIN thread t ON t.thread_id = (SELECT MAX(thread_id) FROM thread u
		WHERE u.lane_id = s.lane_id AND u.started_ns <= s.started_ns)
	WHERE s.run_id = :run AND s.kind NOT IN ('sleep', 'call')
		AND s.started_ns <= :to AND s.started_ns + s.wait_ns >= :from
		AND (:thread IS NULL OR t.name = :thread OR CAST(t.tid AS TEXT) = :thread)
UNION ALL SELECT 3, p.pid, NULL, NULL, NULL, NULL, 0, s.label, s.time_ns, 0, 'moment'
	FROM snapshots s JOIN processes p USING (process_id)
	WHERE s.run_id = :run AND s.time_ns BETWEEN :from AND :to))
SELECT CASE part WHEN 1 THEN CASE WHEN is_step THEN 'steps ' || IFNULL(name, '')
		|| IFNULL(' of ' || whose, '')
	ELSE IFNULL(whose, 'a thread without a row') END
	WHEN 2 THEN 'waits for others' || IFNULL(' of ' || whose, '') ELSE 'snapshots' END
	|| of_process AS label, name AS "name/text", started_ns, duration_ns, state
FROM named ORDER BY part, pid, lane_id, thread_id, is_step, CASE WHEN is_step THEN name END,
	started_ns, duration_ns DESC;

-- Slow calls by call path over all threads; steps by name likewise.
-- :table paths rows=10 noun=call_path = By call path
SELECT MAX(duration_ns) AS "longest!:longest_ns", COUNT(*) AS "kept!:kept_count",
	MIN(started_ns) AS "first at:first_ns", MAX(started_ns) AS "last at:last_ns",
	name AS "function:.name", kind AS ".kind",
	CASE kind WHEN 'step' THEN 'step ' || name ELSE IFNULL(path_id, name) END
	AS "call path!:path", path_id AS ".path_id", function_id AS ".function_id"
FROM (SELECT * FROM chosen ORDER BY pid, lane_id, thread_id, started_ns, duration_ns DESC)
GROUP BY CASE kind WHEN 'step' THEN name ELSE IFNULL(path_id, 0) END ORDER BY 1 DESC, name;

-- :table spans brief main sort rows=15 noun=call = The longest
SELECT span_id AS ".span_id", started_ns AS "at!:started_ns", duration_ns AS "took!:duration_ns",
	call_ns AS ".call_ns", cpu_ns AS "computing:cpu_ns", ready_ns AS "CPU wait:ready_ns",
	blocked_ns AS "blocked!:blocked_ns", name AS "function!:name", kind AS ".kind",
	ended AS ".ended", pid AS ".pid", tid AS "tid:tid", thread AS "thread:thread",
	process_id AS ".process_id", thread_id AS ".thread_id", lane_id AS ".lane_id",
	path_id AS ".path_id", function_id AS ".function_id"
FROM chosen ORDER BY duration_ns DESC, span_id DESC;
