-- SPDX-License-Identifier: MIT
-- Functions that are called very often and do very little.

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
		f.raw_self_ns - f.self_ns AS hooks_ns, f.self_error_ns,
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
