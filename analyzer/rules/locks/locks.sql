-- SPDX-License-Identifier: MIT
-- Who waited for locks, and what whoever held them did meanwhile; threads that take turns.

-- What could be won is what the thread waited that waited longest. Of a holder is known
-- where it was when the wait began: in a call of libc that sleeps or moves data (asleep),
-- or in code, of which a part computed, slept or had no CPU. A condition gives its lock up,
-- and who is in a call for a lock has just got it or waits for another one.
-- How long the longest waiter waited is told of the time by the clock, as waits are: the run less
-- waits for a CPU may be shorter than they.
-- No more can be won than the CPUs leave free; a wait that computes (spun) is no work.
-- :name locks
WITH waits AS (SELECT w.*, h.path_id AS is_known, CASE WHEN h.kind >= 3 THEN f.name END AS callee,
		COALESCE(CAST(h.self_ready_ns AS REAL) / NULLIF(h.self_ns, 0), 0) AS ready,
		CASE WHEN h.path_id IS NULL THEN 0
			WHEN h.kind < 3 OR libc_purpose(f.name) IN ('lock', 'condition')
			THEN COALESCE(CAST(h.self_blocked_ns AS REAL)
				/ NULLIF(h.self_ns, 0), 0) * (h.kind < 3)
			ELSE 1 - COALESCE(CAST(h.self_ready_ns AS REAL)
				/ NULLIF(h.self_ns, 0), 0) END AS asleep
	FROM lock_wait w LEFT JOIN path h ON h.path_id = w.holder_path_id
	LEFT JOIN function f ON f.function_id = h.function_id
	JOIN lock l ON l.run_id = w.run_id AND l.lock_id = w.lock_id
	WHERE w.run_id = :run AND w.wait_ns > 0 AND l.kind IN ('mutex', 'rwlock', 'spin')),
threads AS (SELECT lock_id, waiter_lane_id, SUM(wait_ns) AS ns FROM waits GROUP BY 1, 2),
longest AS (SELECT lock_id, MAX(ns) AS ns, COUNT(*) AS threads FROM threads GROUP BY 1),
spun AS (SELECT TOTAL(p.self_ns - p.self_ready_ns - p.self_blocked_ns) AS ns
	FROM path p JOIN function f USING (function_id)
	WHERE p.run_id = :run AND p.kind = 3 AND libc_purpose(f.name) = 'lock'),
free AS (SELECT MAX(0, :run_ns - (:cpu_ns - spun.ns) / MAX(1, :cpus)) AS ns FROM spun),
sums AS (SELECT lock_id, SUM(wait_ns) AS ns, SUM(wait_count) AS count,
		TOTAL(CASE WHEN is_known THEN wait_ns END) / SUM(wait_ns) AS known,
		COALESCE(SUM(wait_ns * ready) / SUM(CASE WHEN is_known THEN wait_ns END), 0)
		AS ready,
		COALESCE(SUM(wait_ns * asleep) / SUM(CASE WHEN is_known THEN wait_ns END), 0)
		AS asleep
	FROM waits GROUP BY 1),
-- where most of it was waited, and for whom
most AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY lock_id
	ORDER BY is_known IS NULL, SUM(wait_ns) DESC) AS place FROM waits
	GROUP BY lock_id, waiter_path_id, taken_path_id, holder_path_id)
SELECT l.lock_id, l.name AS lock, l.kind, COALESCE(m.taken_path_id, m.waiter_path_id) AS path_id,
	m.waiter_path_id, m.taken_path_id, m.holder_path_id, m.callee,
	s.count AS waits, s.ns AS wait_ns, x.ns / MAX(1, :wall_ns) AS held, x.threads,
	s.known, s.ready, s.asleep, 
	CASE WHEN s.known > 0 THEN MAX(0, 1 - s.asleep - s.ready) END AS computed,
	(1 - s.ready) * l.hold_ns / NULLIF(l.hold_count, 0) AS hold_ns, s.ns / s.count AS mean_ns,
	CASE WHEN l.hold_ns > 0 THEN CAST(s.ns AS REAL) / s.count * l.hold_count / l.hold_ns
		END AS queue,
	MIN((1 - s.ready) * x.ns, f.ns) AS saving_ns,
	MIN((1 - s.ready) * x.ns, f.ns) / :run_ns AS won,
	CASE WHEN s.known >= 0.5 THEN 2 ELSE 1 END AS confidence,
	'{lock} was waited for in {>waiter_path_id}, ' || CASE
		WHEN m.holder_path_id IS NULL THEN 'by whom it was held is not known'
		ELSE 'while its holder ' || CASE
			WHEN s.asleep >= 0.5 AND m.callee IS NOT NULL
			THEN 'was in {callee}()'
			WHEN s.asleep >= 0.5 THEN 'slept'
			WHEN s.ready >= 0.5 THEN 'had no CPU'
			ELSE 'computed' END || ' in {>holder_path_id}, having taken it in '
			|| '{>path_id}' END AS why
FROM sums s JOIN lock l ON l.run_id = :run AND l.lock_id = s.lock_id
JOIN longest x ON x.lock_id = s.lock_id JOIN most m ON m.lock_id = s.lock_id AND m.place = 1
JOIN free f
ORDER BY x.ns DESC, l.lock_id;

-- Threads of a process of which several compute, together about as much as one would. met:
-- what they slept for each other. A join is none: it ends with the thread.
-- :name turns
WITH met AS (SELECT s.lane_id, SUM(s.self_blocked_ns) AS ns
	FROM path c JOIN function f USING (function_id) JOIN path_lane s ON s.path_id = c.path_id
	WHERE c.run_id = :run AND c.kind = 3
		AND libc_purpose(f.name) IN ('lock', 'peer', 'condition')
	GROUP BY 1),
-- served: the life of the process without the longest waits for a CPU, while which others
-- sleep for the thread that has none. Threads come first, for they cannot be found by their
-- process: the other way round all are read for each process.
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
-- waits come first, for the same reason; each process's longest
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
	'while one of them worked the others slept for it' || CASE WHEN m.name IS NULL THEN ''
		ELSE ', most for {lock} in {>waiter_path_id}' || CASE
		WHEN m.holder_path_id IS NULL THEN '' ELSE ', for {>holder_path_id}' END END
	AS why
FROM sums s LEFT JOIN most m USING (process_id)
ORDER BY s.served_ns DESC, s.process_id;
