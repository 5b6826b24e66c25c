-- SPDX-License-Identifier: MIT
-- Functions that are called very often, and do very little; callees of one caller.

-- What is inlined already is no call. Not of those whose time is not known: nobody knows
-- whether they do very little, or are inlined where there are no hooks. The compiler
-- inlines what is defined in a header: a program without hooks does not make these calls.
-- (Of nine such functions in three programs not one call was left at -O2.) The C++
-- library's templates have no file: their code lies in a library without hooks.
-- of_ns: what the run took at least. Where nearly all of the time was the hooks' the rest
-- may be far too small, more than its error says. (Lua sorts in 0.1 s; 0.06 s were left of
-- 2.1 s, and 28 million calls of index2value() came to 86 % of that.)
-- :name tiny
WITH costs AS (SELECT f.function_id, f.calls - f.inlined_calls AS calls, f.inlined_calls,
		CAST(f.self_ns - f.self_ready_ns - f.self_blocked_ns AS REAL) AS cpu_ns,
		NULLIF(MAX(0, f.raw_self_ns - f.self_ns), 0) AS hooks_ns, f.self_error_ns,
		MAX(:tiny_ns, :tiny_hooks * :hook_ns) AS most_ns,
		:run_ns + :hooks_error * :hooks_ns / MAX(1, :lanes) AS of_ns
	FROM functions f
	WHERE f.run_id = :run AND f.calls - f.inlined_calls >= :least_calls
		AND (f.self_ns > f.self_error_ns OR f.self_error_ns = 0)
		AND NOT (IFNULL(f.file, '') REGEXP '[.](h|hh|hpp|hxx|H|inl|ipp|tcc)$'
			OR (f.file IS NULL AND f.name LIKE 'std::%'))
		AND f.function_id NOT IN (SELECT function_id FROM path
			WHERE run_id = :run AND kind >= 2)),
wins AS (SELECT c.*, c.calls * :call_ns * CASE WHEN cpu_ns > 0 THEN
		MIN(1, COALESCE(h.ns, cpu_ns) / cpu_ns) ELSE 1 END AS saving_ns
	FROM costs c LEFT JOIN held h USING (function_id))
SELECT function_id, calls, NULLIF(inlined_calls, 0) AS inlined, cpu_ns / calls AS call_cpu,
	CAST(self_error_ns AS REAL) / calls AS call_cpu_error, most_ns,
	(cpu_ns + self_error_ns) / calls AS most_cpu, :call_ns AS cost_ns, hooks_ns, of_ns,
	saving_ns, saving_ns / of_ns AS won
FROM wins ORDER BY calls DESC, function_id;

-- The caller is the function that calls it, whatever regions are around the call: a region
-- is no call. Of threads side by side the longest counts (held_ns).
-- :name chatty
WITH RECURSIVE often AS (SELECT path_id, parent_path_id, function_id, calls, total_error_ns,
		CAST(total_ns - ready_ns AS REAL) AS ns,
		CAST(total_ns - ready_ns - MAX(0, total_error_ns) AS REAL) AS least_ns
	FROM path WHERE run_id = :run AND kind = 0 AND parent_path_id IS NOT NULL
		AND calls >= :calls_per_call * :least_caller_calls
		AND total_ns - ready_ns - MAX(0, total_error_ns) >= :run_share * :run_ns
		AND total_ns - ready_ns - MAX(0, total_error_ns)
			> MAX(:tiny_ns, :tiny_hooks * :hook_ns) * calls),
around AS (SELECT path_id AS below_id, parent_path_id AS path_id FROM often
	UNION ALL SELECT a.below_id, p.parent_path_id FROM around a JOIN path p USING (path_id)
	WHERE p.kind = 2 AND p.parent_path_id IS NOT NULL),
held AS (SELECT path_id, SUM(ns) AS ns FROM (
		SELECT s.path_id, l.process_id, MAX(s.total_ns - s.ready_ns) AS ns
		FROM path_lane s JOIN lane l USING (lane_id)
		WHERE s.path_id IN (SELECT path_id FROM often) GROUP BY 1, 2)
	GROUP BY 1),
edges AS (SELECT o.*, c.path_id AS caller_id, f.name AS caller, c.calls AS caller_calls,
		c.total_ns - c.ready_ns AS caller_ns, COALESCE(h.ns, o.ns) AS held_ns
	FROM often o JOIN around a ON a.below_id = o.path_id
	JOIN path c ON c.path_id = a.path_id AND c.kind = 0
	JOIN function f ON f.function_id = c.function_id
	LEFT JOIN held h ON h.path_id = o.path_id
	WHERE c.function_id <> o.function_id AND c.calls > 0)
SELECT path_id, caller_id, caller, calls, caller_calls, ns / calls AS call_ns,
	CAST(total_error_ns AS REAL) / calls AS call_ns_error,
	CAST(calls AS REAL) / caller_calls AS per_call, ns / MAX(1, caller_ns) AS of_caller,
	least_ns / MAX(1, caller_ns) AS least_of_caller, held_ns / :run_ns AS held,
	held_ns * least_ns / ns / :run_ns AS least_held,
	held_ns * (1 - 1 / :assumed_batch) AS saving_ns,
	'each call of {caller} calls it ' || printf('%.0f', CAST(calls AS REAL) / caller_calls)
		|| ' times on average' AS why
FROM edges ORDER BY path_id;
