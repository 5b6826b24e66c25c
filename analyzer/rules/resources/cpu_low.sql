-- SPDX-License-Identifier: MIT
-- :rule R1 cpu-low: The CPU is idle while the program runs
-- :about the program is blocked, not computing, for a large part of the run
-- :needs wall cpu
-- :limit cpu = 0.5 ratio, at most 1: use of one CPU, on average over the run without its
-- CPU wait
-- :limit least_ns = 200000000 ns: threads whose lives add up to less are not judged
-- :evidence used percent, at most cpu: CPU used, without CPU wait
-- :evidence cpu_ns ns: computed
-- :evidence ready_ns ns: CPU wait
-- :evidence blocked_ns ns: blocked
-- :evidence own_ns ns: slept in this function
-- :evidence threads count: threads
-- :asks used_or_work at most cpu
-- :why the program slept for most of the run; {place}
-- :advice {remedy}
-- :advice see what it waits for: 'prof-analyze flamegraph --metric blocked'
-- :advice if the program is meant to wait, suppress this rule
-- :speaks the program used at most half of one CPU, on average over the run without its
-- CPU wait and without its first threads' sleep until there was work (events, conditions,
-- semaphores); all processes count, short-lived children by the kernel's count, and none
-- is idle while it waits for another one in `wait()` or on a pipe
-- :gains the idle part
-- :unseen where, unless one function slept for half of it

-- :query
-- A function waited as long as its own code slept and the calls of libc that it made. The CPU
-- was not idle while a thread waited for it (at least the longest, as several may wait at
-- once), or while a process waited for another one of the run in wait() or on a pipe: what
-- that one does is reported by itself, or by the kernel for children. So the base is the run's
-- time, not the sum of lives. Functions that sleep until there is work, or until others are
-- done, are not named, nor those that wait for a lock: its holder is. When first threads of
-- processes, for which the run waits, sleep until
-- there is work, this counts as computing, like in a server without requests.
WITH slept AS (SELECT p.path_id, COALESCE(c.function_id, p.function_id) AS function_id,
		p.self_blocked_ns AS ns, CASE WHEN p.path_id IN piped
		THEN 'child' ELSE IFNULL(CASE WHEN p.kind >= 3 THEN libc_purpose(f.name) END, '')
		END AS purpose
	FROM path p JOIN function f USING (function_id)
	LEFT JOIN lent l ON l.path_id = IIF(p.kind >= 3, p.parent_path_id, p.path_id)
	LEFT JOIN path c ON c.path_id = COALESCE(l.owner_id, IIF(p.kind >= 3, p.parent_path_id, NULL))
	WHERE p.run_id = :run AND p.self_blocked_ns > 0),
-- How long children took to begin and end, on a busy machine mostly without a CPU.
outside AS (SELECT TOTAL(MAX(0, p.wall_ns - l.ns)) AS ns FROM process p JOIN (SELECT process_id,
		MAX(started_ns + wall_ns) - MIN(started_ns) AS ns
	FROM thread WHERE run_id = :run GROUP BY process_id) l USING (process_id)
	WHERE p.run_id = :run AND p.parent_process_id IS NOT NULL),
every AS (SELECT COUNT(*) AS threads, TOTAL(cpu_ns) AS threads_cpu_ns, TOTAL(ready_ns) AS ready_ns,
		MAX(0, TOTAL(blocked_ns) - (SELECT TOTAL(ns) FROM slept
			WHERE purpose IN ('child', 'thread'))) AS blocked_ns,
		MIN(:lived_ns, MAX(started_ns + wall_ns) - MIN(started_ns)) AS lasted_ns,
		(SELECT TOTAL(value) FROM trust WHERE run_id = :run AND name = 'children_cpu_ns')
		AS children_cpu_ns
	FROM threads WHERE run_id = :run AND cpu_ns IS NOT NULL),
spent AS (SELECT *, MAX(threads_cpu_ns, children_cpu_ns) AS cpu_ns,
		MAX(1, lasted_ns - ready_ns - (SELECT ns FROM outside)) AS of_ns FROM every),
used AS (SELECT *, MAX(0, MIN(of_ns - cpu_ns, blocked_ns)) AS idle_ns,
		1 - MAX(0, MIN(of_ns - cpu_ns, blocked_ns)) / of_ns AS used FROM spent),
largest AS (SELECT function_id, SUM(ns) AS ns, CASE
		WHEN 2 * SUM(ns * (purpose = 'sleep')) >= SUM(ns) THEN 'wait for the event itself, '
		|| 'with poll() or a condition variable: a sleep ends too late' END AS remedy
	FROM slept
	WHERE purpose NOT IN ('event', 'condition', 'peer', 'child', 'thread', 'lock')
	GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1),
half AS (SELECT function_id, ns, remedy FROM largest WHERE ns >= (SELECT blocked_ns FROM used) / 2),
first AS (SELECT t.lane_id FROM thread t JOIN process p USING (process_id)
	WHERE t.run_id = :run AND t.tid = p.pid),
work AS (SELECT TOTAL(ns * is_for_work) / MAX(1, TOTAL(ns)) AS part
	FROM (SELECT COALESCE(s.self_blocked_ns, ns) AS ns,
			purpose IN ('event', 'condition', 'peer') AS is_for_work
		FROM slept LEFT JOIN path_lane s USING (path_id)
		WHERE purpose NOT IN ('child', 'thread')
			AND (s.lane_id IS NULL OR s.lane_id IN first)))
SELECT (SELECT function_id FROM half) AS function_id, (SELECT ns FROM half) AS own_ns, used, part,
	1 - (1 - used) * (1 - part) AS used_or_work,
	idle_ns * (1 - part) AS saving_ns, of_ns, cpu_ns, ready_ns, blocked_ns, threads,
	CASE WHEN EXISTS (SELECT 1 FROM half)
		THEN 'sleeps {own_ns} of {blocked_ns}; one CPU is {used} busy'
		ELSE 'the program keeps one CPU {used} busy and sleeps the rest' END AS says,
	IFNULL((SELECT remedy FROM half), 'overlap the waits, or work meanwhile') AS remedy,
	CASE WHEN EXISTS (SELECT 1 FROM half)
		THEN 'this function sleeps for at least half of that'
		ELSE 'no function sleeps for half of that by itself' END AS place,
	CASE WHEN :is_live THEN 'the run has not ended'
		WHEN :threads_ns < :least_ns OR :threads_ns < :lived_ns / 2
		THEN 'the sampled threads lived too briefly' END AS unmeasured
FROM used, work;

-- :proof
SELECT process_id, tid, name, wall_ns, cpu_ns, ready_ns, blocked_ns FROM threads WHERE run_id =
	{run} ORDER BY wall_ns DESC
