-- SPDX-License-Identifier: MIT
-- :rule L4 taking-turns: Threads that take turns
-- :about several threads compute, but one at a time: together they use about one CPU, and sleep
-- while another one runs
-- :says {workers thread} take turns: together they use {cpus_used} of {cpus CPU}
-- :needs calls wall cpu
-- :specific 1
-- :explains R1
-- :limit thread_share = 0.1 ratio, at most 1: part of the process's life for which a thread
-- must compute, or wait for a CPU, to count as working
-- :limit workers = 2 count, at least 2: such threads
-- :limit cpus_least = 0.5 ratio: CPUs that all of them use, on average
-- :limit cpus_most = 1.4 ratio: the same, at most
-- :limit busiest = 0.8 ratio, at most 1: part of the process's life for which the busiest
-- one works, at most: with more it is what limits the others
-- :limit met = 0.6 ratio, at most 1: part of their blocked time in which they waited for
-- each other: locks, conditions, semaphores, barriers
-- :limit run_share = 0.1 ratio, at most 1: share of the run that running in parallel could
-- save
-- :evidence workers count, at least workers: threads that work
-- :evidence cpus_used ratio, at most cpus_most: CPUs used by all
-- :asks cpus_used at least cpus_least
-- :evidence busiest percent, at most busiest: busiest, share of its process's life
-- :evidence met percent, at least met: blocked on one another, of their blocked time
-- :evidence won percent, at least run_share: could be saved, share of the run
-- :evidence cpus count: CPUs
-- :advice let threads run ahead: a longer queue between them
-- :advice give each thread whole items of its own instead of a part of each
-- :advice if the order is fixed, use one thread: it does the same without switches
-- :speaks two or more threads of a process each compute for 10 % of its life; together they use
-- 0.5 to 1.4 CPUs, the busiest at most 80 % of one, and 60 % of their sleep is at locks,
-- conditions, semaphores and barriers
-- :gains their time if run in parallel on the available CPUs
-- :unseen threads started one after the other; unsure on a busy machine

-- :query
-- Threads of a process of which several compute, but together about as much as one would. met:
-- how long they slept for each other. A join does not count: it ends with the thread.
WITH met AS (SELECT s.lane_id, SUM(s.self_blocked_ns) AS ns
	FROM path c JOIN function f USING (function_id) JOIN path_lane s ON s.path_id = c.path_id
	WHERE c.run_id = :run AND c.kind = 3
		AND libc_purpose(f.name) IN ('lock', 'peer', 'condition')
	GROUP BY 1),
-- served: the process's life without the longest waits for a CPU, during which others sleep
-- for the thread that has none. Threads come first in the join: they cannot be found by
-- process, so otherwise all would be read for each process.
spans AS (SELECT p.process_id, 
		CAST(MAX(1, p.wall_ns - MAX(IFNULL(t.ready_ns, 0))) AS REAL) AS served_ns,
		TOTAL(t.ready_ns) / MAX(1, TOTAL(t.ready_ns) + TOTAL(t.cpu_ns)) AS ready
	FROM thread t CROSS JOIN process p USING (process_id) WHERE t.run_id = :run GROUP BY 1),
workers AS (SELECT t.process_id, t.lane_id, s.served_ns, s.ready, t.cpu_ns, t.blocked_ns,
		t.cpu_ns >= :thread_share * s.served_ns AS works,
		MIN(COALESCE(m.ns, 0), t.blocked_ns) AS met_ns
	FROM thread t JOIN spans s USING (process_id) LEFT JOIN met m USING (lane_id)
	WHERE t.run_id = :run AND t.cpu_ns IS NOT NULL),
sums AS (SELECT process_id, served_ns, ready, SUM(cpu_ns) AS cpu_ns, MAX(cpu_ns) AS busiest_ns,
		SUM(works) AS workers, SUM(works * met_ns) AS met_ns,
		SUM(works * blocked_ns) AS blocked_ns,
		MIN(:run_ns, served_ns) - MAX(MAX(cpu_ns), SUM(cpu_ns) / MAX(1, :cpus))
		AS saving_ns
	FROM workers GROUP BY process_id),
-- waits come first for the same reason; each process's longest one
most AS (SELECT l.process_id, l.name, w.waiter_path_id, w.holder_path_id, MAX(w.wait_ns)
	FROM lock_wait w CROSS JOIN lock l USING (run_id, lock_id)
	WHERE w.run_id = :run AND l.kind <> 'thread' AND w.waiter_path_id IS NOT NULL
		AND w.waiter_lane_id IN (SELECT lane_id FROM workers WHERE works)
	GROUP BY l.process_id)
SELECT s.process_id, m.waiter_path_id AS path_id, m.waiter_path_id, m.holder_path_id,
	m.name AS lock, s.workers, s.cpu_ns / s.served_ns AS cpus_used,
	s.busiest_ns / s.served_ns AS busiest, :cpus AS cpus,
	CAST(s.met_ns AS REAL) / NULLIF(s.blocked_ns, 0) AS met,
	s.saving_ns, s.saving_ns / :run_ns AS won, s.ready < 0.5 AS confidence,
	'while one of them worked, the others waited for it' || CASE WHEN m.name IS NULL THEN ''
		ELSE ', most for {lock} in {>waiter_path_id}' || CASE
		WHEN m.holder_path_id IS NULL THEN '' ELSE ', for {>holder_path_id}' END END
	AS why
FROM sums s LEFT JOIN most m USING (process_id)
ORDER BY s.served_ns DESC, s.process_id;

-- :proof
SELECT tid, name, wall_ns, cpu_ns, ready_ns, blocked_ns FROM threads WHERE run_id = {run} AND
	process_id = {process_id} ORDER BY cpu_ns DESC
