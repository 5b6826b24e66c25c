-- SPDX-License-Identifier: MIT
-- :rule T1 hot-leaf: A function whose own code takes much of the run
-- :about a function's own code, with the libraries it calls, computes for a large share
-- of the run
-- :needs calls wall time
-- :specific 1
-- :explains T2
-- :limit self_share = 0.05 ratio, at most 1: share of the run in which the function itself
-- must compute
-- :limit self_part = 0.5 ratio, at most 1: part of the time computed in and below it that
-- must be its own
-- :limit least_hooks = 2 ratio, not above sure_hooks: computing time per call, in costs of
-- a hook pair, below which only T2 judges
-- :limit sure_hooks = 4 ratio: the same, below which the confidence is low
-- :limit alloc_ns = 300 ns: computing time for each of its own allocations, below which the
-- confidence is low: much of it is malloc's
-- :limit least_by_hooks = 0.5 ratio: computing time over what was subtracted for hooks:
-- with less, too much depends on how exact that is
-- :limit lent_error = 0.2 ratio, at most 1: relative error up to which a computing time that
-- samples tell counts, whatever was subtracted for hooks
-- :limit spun_part = 0.5 ratio, at most 1: part of its samples in libraries that wait by
-- polling (MPI, OpenMP), from which it is said to wait
-- :limit weight = 0.5 ratio, at most 1: part of the gain that counts towards the severity
-- :evidence cpu_share percent: share of the program's CPU time
-- :evidence held percent, at least self_share: share of the wall time
-- :evidence cpu_ns ns: computed itself
-- :evidence lent_ns ns: computed in libraries
-- :evidence own_part percent: own share of its total time
-- :evidence calls count: calls
-- :evidence call_ns ns: computed per call
-- :evidence waited_ns ns: waited
-- :evidence in_spins percent: of its samples, waiting for others
-- :asks sure_held at least self_share
-- :asks self_part at least self_part
-- :asks by_hooks at least least_by_hooks
-- :asks by_hook at least least_hooks
-- :advice {less}
-- :advice {sooner}
-- :advice {inside}
-- :speaks a function's own code computes for 5 % of the run and half of its total time, in
-- calls that take two hook pairs or more, or as samples tell; CPU time in language and system
-- libraries, and in calls that read and write, counts for the user's function that calls them
-- :gains all of it
-- :unseen lines inside a function; unsure for calls shorter than four hook pairs, and below 300 ns
-- per allocation, which is mostly malloc's time; if half of its samples are in MPI's or OpenMP's
-- library, the finding says that it waits for other ranks or threads

-- :query
-- If waits were not told from computing, only calls shorter than a wait (two thread switches
-- and a wake-up: 20 us) are judged. T9 judges a call that holds half. Library code is reported
-- for the user's function that calls it: the library functions' times are added up if they
-- pass the same limits, and the path with most is told. In the system's library samples know only
-- the innermost function, but who allocated is known exactly: so malloc() is told with its caller.
WITH moving AS (SELECT p.path_id AS top_id, p.function_id, IFNULL(l.owner_id, p.parent_path_id)
		AS owner_id, p.self_error_ns,
		CAST(p.self_ns - p.self_ready_ns - p.self_blocked_ns AS REAL) AS cpu_ns
	FROM path p LEFT JOIN lent l ON l.path_id = p.parent_path_id
	WHERE p.run_id = :run AND p.kind = 4 AND p.self_ns > p.self_ready_ns + p.self_blocked_ns),
library AS MATERIALIZED (SELECT o.function_id, l.owner_id, l.top_id,
		l.cpu_ns / c.cpu_ns AS part,
		c.cpu_ns, c.held_ns, c.sure, c.self_error_ns
	FROM lent l JOIN path p USING (path_id) JOIN path o ON o.path_id = l.owner_id
	JOIN computing c ON c.function_id = p.function_id
	WHERE c.unmeasured IS NULL AND COALESCE(c.spun, 0) < :spun_part AND (c.sure * c.cpu_ns >= :least_by_hooks * c.hooks_ns
			OR c.self_error_ns BETWEEN 1 AND :lent_error * c.cpu_ns)
		AND c.sure * c.cpu_ns >= :least_hooks * :hook_ns * IFNULL(c.calls, 0)
	UNION ALL SELECT o.function_id, m.owner_id, m.top_id, 1, m.cpu_ns, m.cpu_ns * MIN(1,
			IFNULL(h.ns / (SUM(m.cpu_ns) OVER (PARTITION BY m.function_id)), 1)),
		MAX(0, m.cpu_ns - MAX(0, m.self_error_ns)) / m.cpu_ns, m.self_error_ns
	FROM moving m JOIN path o ON o.path_id = m.owner_id LEFT JOIN held h ON h.function_id = m.function_id),
tops AS (SELECT function_id, owner_id, top_id, SUM(part * cpu_ns) AS ns,
		ROW_NUMBER() OVER (PARTITION BY function_id ORDER BY SUM(part * cpu_ns) DESC) AS place
	FROM library GROUP BY 1, 2, 3),
called AS (SELECT t.function_id, bare_name(f.name) AS name, SUM(t.ns) AS ns, ROW_NUMBER() OVER (
		PARTITION BY t.function_id ORDER BY SUM(t.ns) DESC) AS place,
		SUM(SUM(t.ns)) OVER (PARTITION BY t.function_id) AS all_ns
	FROM tops t JOIN path p ON p.path_id = t.top_id
	JOIN function f ON f.function_id = p.function_id
	GROUP BY 1, 2),
asking AS (SELECT o.function_id, l.top_id, bare_name(f.name) AS name,
		SUM(SUM(a.alloc_count)) OVER (PARTITION BY o.function_id) AS allocs,
		SUM(a.alloc_count) AS count, ROW_NUMBER() OVER (
		PARTITION BY o.function_id ORDER BY SUM(a.alloc_count) DESC) AS place
	FROM lent l JOIN path a USING (path_id) JOIN path o ON o.path_id = l.owner_id
	JOIN path t ON t.path_id = l.top_id JOIN function f ON f.function_id = t.function_id
	WHERE a.alloc_count > 0 GROUP BY 1, 3),
asked AS (SELECT function_id, MAX(CASE place WHEN 1 THEN top_id END) AS asked_id,
		MAX(CASE place WHEN 1 THEN a.name END) AS first,
		MAX(CASE WHEN place = 2 AND 10 * count >= allocs THEN ' and ' || a.name END) AS second
	FROM asking a JOIN function f USING (function_id)
	WHERE allocs >= 0.9 * f.owned_alloc_count AND a.name <> 'malloc and free' GROUP BY 1),
most AS (SELECT function_id, all_ns, MAX(CASE place WHEN 1 THEN name END) AS name,
		MAX(CASE place WHEN 1 THEN ns END) AS ns,
		MAX(CASE WHEN place = 2 AND ns >= 0.1 * all_ns THEN ', ' || name END) AS next,
		TOTAL(CASE WHEN place = 2 AND ns >= 0.1 * all_ns THEN ns END) AS next_ns
	FROM called GROUP BY 1),
names AS (SELECT m.function_id, asked_id,
		IIF(ns + IIF(first IS NULL, next_ns, 0) < 0.75 * all_ns, 'libraries, mostly ', '') || name
		|| IFNULL(' for ' || first || IFNULL(second, ''), IFNULL(next, '')) AS names,
		'call ' || first || IFNULL(second, '') || ' less often, or keep '
		|| IIF(second IS NULL, 'its result', 'their results') AS fewer
	FROM most m LEFT JOIN asked a ON a.function_id = m.function_id AND name = 'malloc and free'),
sums AS (SELECT function_id, SUM(part * cpu_ns) AS cpu_ns, SUM(part * held_ns) AS held_ns,
		SUM(part * sure * held_ns) AS sure_held_ns,
		SUM(part * MAX(0, self_error_ns)) AS error_ns FROM library GROUP BY 1),
lending AS (SELECT s.*, NULLIF(f.calls, 0) AS calls, n.names, IIF(c.kind = 'io', 'move more with each call: buffer it', n.fewer) AS fewer, t.owner_id,
		IIF(c.call_file LIKE '/usr/%', NULL, c.call_file) AS call_file, c.call_line
	FROM sums s JOIN function f USING (function_id) JOIN names n USING (function_id)
	JOIN tops t ON t.function_id = s.function_id AND t.place = 1
	JOIN call_paths c ON c.run_id = :run AND c.path_id = IFNULL(n.asked_id, t.top_id)
	WHERE s.cpu_ns >= :self_share * :run_ns),
parts AS (SELECT c.*, CASE WHEN spun >= :spun_part THEN spun END AS in_spins,
		CASE WHEN spun >= :spun_part THEN whom END AS whose,
		cpu_ns < :alloc_ns * alloc_count AS is_allocating,
		is_sampled AND self_error_ns BETWEEN 1 AND :lent_error * cpu_ns AS is_told
	FROM computing c WHERE one_ns < held_ns / 2 AND cpu_ns >= :self_share * :run_ns
		AND function_id NOT IN (SELECT p.function_id FROM lent JOIN path p USING (path_id)))
SELECT NULL AS path_id, function_id, NULL AS call_file, NULL AS call_line, NULL AS lent_ns,
	NULLIF(calls, 0) AS calls, cpu_ns, self_error_ns AS cpu_ns_error,
	IFNULL(MIN(1, cpu_ns / :program_ns), 1) AS cpu_share, held_ns / :run_ns AS held,
	sure * held_ns / :run_ns AS sure_held, cpu_ns / MAX(1, total_ns) AS own_part,
	cpu_ns / MAX(1, total_ns) AS self_part,
	cpu_ns / NULLIF(calls, 0) AS call_ns,
	IIF(is_told, 1e9, COALESCE(sure * cpu_ns / NULLIF(hooks_ns, 0), 1e9)) AS by_hooks,
	IIF(is_told, 1e9, COALESCE(sure * cpu_ns / NULLIF(calls, 0) / NULLIF(:hook_ns, 0), 1e9)) AS by_hook,
	CASE WHEN self_ns > 1.01 * cpu_ns THEN self_ns - cpu_ns END AS waited_ns,
	held_ns AS saving_ns, CASE WHEN is_allocating
		OR NOT is_told AND cpu_ns / calls < :sure_hooks * :hook_ns THEN 0 ELSE 1 END AS confidence,
	unmeasured, in_spins, mostly, NULL AS names,
	CASE WHEN whose IS NOT NULL THEN 'spends {cpu_share} of the CPU waiting for other ' || whose
		|| ', polling'
		ELSE 'takes {cpu_share} of the CPU itself' || IIF(calls > 0, ', in {calls call}', '')
		|| '{mostly}' END AS says,
	CASE WHEN whose IS NOT NULL THEN 'it waits for other ' || whose || ': most of its '
			|| 'samples are in a library that polls for them'
		WHEN is_allocating
		THEN 'much of the CPU time is in its own code, some of it in malloc'
		ELSE 'much of the CPU time is in its own code, not in what it calls' END AS why,
	CASE WHEN whose IS NOT NULL THEN 'give all ' || whose
			|| ' equal work: they all wait for the slowest'
		WHEN is_allocating THEN 'allocate less: reuse blocks, or take many from a pool'
		ELSE 'use a better algorithm or cache results' END AS less,
	CASE WHEN whose IS NOT NULL THEN 'wait less often: do more between two such calls, or '
			|| 'meanwhile work that does not depend on others'
		WHEN is_allocating THEN 'see who allocates the blocks: ''prof-analyze callers'', '
			|| '''prof-analyze memory'''
		ELSE 'lay the data out in the order in which it is read' END AS sooner,
	CASE WHEN whose = 'ranks' THEN 'see which rank computes most: '
			|| '''prof-analyze functions'' of each, by --run'
		WHEN whose = 'threads' THEN 'see which thread finishes last: ''prof-analyze critical'''
		WHEN is_allocating THEN ''
		WHEN function_id IN (SELECT function_id FROM path WHERE run_id = :run AND kind = 2)
		THEN 'look inside: hooks in what it calls, or smaller regions'
		ELSE 'see its hottest lines: ''prof-analyze lines''' END
		AS inside
FROM parts
UNION ALL
SELECT owner_id, function_id, call_file, call_line, cpu_ns, calls, NULL, error_ns,
	IFNULL(MIN(1, cpu_ns / :program_ns), 1), held_ns / :run_ns, sure_held_ns / :run_ns,
	NULL, 1, cpu_ns / calls, 1e9, 1e9, NULL, held_ns, 1, NULL,
	NULL, NULL, names, 'spends {cpu_share} of the CPU in {names}',
	'much of the CPU time is spent in library code that it calls: {names}',
	COALESCE(fewer, IIF(names GLOB '*malloc and free*', 'allocate less: reuse blocks, or take many from '
		|| 'a pool', 'use another algorithm or container')),
	IIF(names GLOB '*malloc and free*', 'see who allocates the blocks: ''prof-analyze callers'', '
		|| '''prof-analyze memory''', 'call it less often, or cache results'),
	'see the paths below it: ''prof-analyze tree'''
FROM lending ORDER BY cpu_share DESC, function_id;

-- :proof
SELECT name, calls, self_cpu_ns, self_ready_ns, self_blocked_ns, total_ns, p50_ns, max_ns FROM
	functions WHERE run_id = {run} AND function_id = {function_id}
