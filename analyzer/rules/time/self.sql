-- SPDX-License-Identifier: MIT
-- Functions of much self time.

-- held_ns: what of it counts for the run. one_ns: what the longest call computed of it, at
-- least: max_ns has what is below with the hooks' cost. sure: the part that is there with
-- the error, too. Where computing was not told from waits only calls are judged that are
-- shorter than a wait, which takes two switches of threads and a wake-up: 20 us. T9 judges
-- what one call holds half of, T1, which has self_part, the rest. hooks_ns: of an estimate the
-- raw time is that of the calls that had a frame, and less than what it took.
-- spins: libraries in which one waits for others by asking again and again, which is computing
-- to every clock; by the samples within a call, as their code has no hooks.
-- :name functions
WITH costs AS (SELECT f.function_id, f.calls, f.p50_ns, f.alloc_count, f.self_error_ns,
		f.self_ns - f.self_ready_ns AS self_ns,
		MAX(0, f.raw_self_ns - f.self_ns) AS hooks_ns,
		CAST(f.self_ns - f.self_ready_ns - f.self_blocked_ns AS REAL) AS cpu_ns,
		f.total_ns - f.ready_ns - f.blocked_ns AS total_ns, COALESCE(h.ns,
			f.self_ns - f.self_ready_ns - f.self_blocked_ns) AS held_ns,
		MAX(0, IFNULL(f.max_ns, 0) - (f.raw_total_ns - f.raw_self_ns) - f.self_ready_ns
			- f.self_blocked_ns) AS longest_ns
	FROM functions f LEFT JOIN held h USING (function_id)
	WHERE f.run_id = :run AND f.calls > 0 AND f.self_ns - f.self_ready_ns
		- f.self_blocked_ns >= COALESCE(:self_share, :run_share) * :run_ns
		AND f.function_id NOT IN (SELECT function_id FROM path
			WHERE run_id = :run AND kind >= 3)),
spins(library, whom) AS (VALUES ('/libmpi', 'ranks'), ('/libopen-pal.', 'ranks'),
	('/mca_', 'ranks'), ('/libucp.', 'ranks'), ('/libuct', 'ranks'), ('/libucs.', 'ranks'),
	('/libpsm', 'ranks'), ('/libfabric.', 'ranks'), ('/libgomp.', 'threads'),
	('/libomp.', 'threads'), ('/libiomp', 'threads')),
sampled AS (SELECT p.function_id, s.cpu_ns,
		(SELECT whom FROM spins WHERE INSTR(s.module, library)) AS whom
	FROM sample s JOIN path p ON p.run_id = s.run_id AND p.path_id = s.path_id
	WHERE s.run_id = :run AND s.kind = 0 AND NOT s.is_plain
		AND p.function_id IN (SELECT function_id FROM costs)),
spun AS (SELECT function_id, MAX(whom) AS whom,
		TOTAL(CASE WHEN whom IS NOT NULL THEN cpu_ns END) / SUM(cpu_ns) AS part
	FROM sampled GROUP BY function_id),
parts AS (SELECT costs.*, CASE WHEN part >= :spun_part THEN part END AS in_spins,
		CASE WHEN part >= :spun_part THEN whom END AS whom,
		MIN(longest_ns, cpu_ns, held_ns) AS one_ns,
		MAX(0, cpu_ns - MAX(0, self_error_ns)) / cpu_ns AS sure,
		cpu_ns < :alloc_ns * alloc_count AS is_allocating
	FROM costs LEFT JOIN spun USING (function_id) WHERE cpu_ns > 0)
SELECT function_id, calls, cpu_ns, self_error_ns AS cpu_ns_error, held_ns / :run_ns AS held,
	sure * held_ns / :run_ns AS sure_held, cpu_ns / MAX(1, total_ns) AS self_part,
	cpu_ns / calls AS call_ns, COALESCE(sure * cpu_ns / NULLIF(hooks_ns, 0), 1e9) AS by_hooks,
	COALESCE(sure * cpu_ns / calls / NULLIF(:hook_ns, 0), 1e9) AS by_hook,
	CASE WHEN self_ns > 1.01 * cpu_ns THEN self_ns - cpu_ns END AS waited_ns,
	one_ns, sure * one_ns AS sure_one_ns, one_ns / :run_ns AS one_held,
	sure * one_ns / :run_ns AS sure_one_held, CASE WHEN calls > 1 THEN p50_ns END AS p50_ns,
	:assumed_gain * CASE WHEN :self_part > 0 THEN held_ns ELSE one_ns END AS saving_ns,
	CASE WHEN is_allocating OR cpu_ns / calls < :sure_hooks * :hook_ns THEN 0 ELSE 1 END
		AS confidence,
	CASE WHEN NOT :has_split AND self_ns >= 20e3 * calls
		THEN 'what was computed and what was a wait was not told apart in every '
			|| 'process: see ''prof-analyze doctor''' END AS unmeasured,
	in_spins, CASE WHEN whom IS NOT NULL THEN 'it waits for other ' || whom || ': most of its '
			|| 'samples are in a library that asks again and again whether they have come'
		WHEN :self_part IS NULL
		THEN 'one call computed for long, without a sign of progress outside'
		WHEN is_allocating
		THEN 'much of the run is its self time, in part that of malloc, which it calls'
		ELSE 'much of the run is its self time, not that of what it calls' END AS why,
	CASE WHEN whom IS NOT NULL THEN 'give all ' || whom || ' as much to do: the one that comes '
			|| 'last is waited for'
		WHEN :self_part IS NULL THEN 'do less: a better algorithm, or a result that is kept'
		WHEN is_allocating THEN 'allocate less: keep blocks for the next use, or take many '
			|| 'at once from a pool'
		ELSE 'do less: a better algorithm, or results that are kept' END AS less,
	CASE WHEN whom IS NOT NULL THEN 'wait less often: do more between two such calls, or '
			|| 'meanwhile what does not depend on others'
		WHEN :self_part IS NULL THEN 'split it into parts that can be spread over threads, or '
			|| 'moved out of the way of who waits'
		WHEN is_allocating THEN 'see who asks for the blocks: ''prof-analyze callers'', '
			|| '''prof-analyze memory'''
		ELSE 'lay the data out in the order in which it is read' END AS sooner,
	CASE WHEN whom = 'ranks' THEN 'see which rank computes most besides: '
			|| '''prof-analyze functions'' of each, by --run'
		WHEN whom = 'threads' THEN 'see which thread comes last: ''prof-analyze critical'''
		WHEN :self_part IS NULL THEN 'instrument what it calls: its time is told as one lump'
		WHEN is_allocating THEN ''
		WHEN function_id IN (SELECT function_id FROM path WHERE run_id = :run AND kind = 2)
		THEN 'look inside: hooks in what it calls, or smaller regions'
		ELSE 'look at the lines with ''perf annotate'', which sees inside a function' END
		AS inside
FROM parts
WHERE CASE WHEN :self_part > 0 THEN one_ns < held_ns / 2 ELSE one_ns >= held_ns / 2 END
ORDER BY cpu_ns DESC, function_id;
