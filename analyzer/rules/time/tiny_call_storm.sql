-- SPDX-License-Identifier: MIT
-- :rule T2 tiny-call-storm: Very many calls of a function that does very little
-- :about a function is called so often, and does so little, that the calls are the cost
-- :says called {calls time} for {call_cpu} each, {cpu_share} of CPU
-- :needs calls wall time
-- :specific 2
-- :verify prof-record --repeat 10 --against './before' -- ./after, both built without hooks
-- :limit least_calls = 100000 count: calls
-- :limit tiny_ns = 100 ns: computing time per call up to which a function is tiny
-- :limit tiny_hooks = 3 ratio: the same in costs of a hook pair; the larger limit counts
-- :limit call_ns = 1.8 ns: cost of a call against the inlined code; measured, see
-- docs/rules-calibration.md
-- :limit least_share = 0.01 ratio, at most 1: share of the run that the calls must cost
-- :limit hooks_error = 0.05 ratio, at most 1: part of the hooks' cost that may be the
-- program's own: it is added to the run
-- :evidence calls count, at least least_calls: calls
-- :evidence call_cpu ns, at most most_ns: computed per call
-- :evidence cpu_share percent: share of the program's CPU time
-- :evidence inlined count: inlined, not counted here
-- :evidence cost_ns ns: cost of a call
-- :evidence won percent: share of the run
-- :evidence hooks_ns ns: hooks, already subtracted
-- :asks most_cpu at most most_ns
-- :asks won at least least_share
-- :why each call does so little that the call itself is a large part of its cost, unless
-- the compiler inlines it where there are no hooks
-- :advice inline it (static, header, LTO)
-- :advice pass it many items at once, or move the loop into it
-- :advice call it outside the loop if its result does not change
-- :advice leave it out of the recording: -finstrument-functions-exclude-function-list
-- :speaks 100,000 calls or more, each computing at most 100 ns (or three hook pairs),
-- that cost 1 % of the run
-- :gains calls times 1.8 ns, of the run and 5 % of the hooks' cost
-- :unseen optimizations that inlining allows; functions inlined in a build without hooks,
-- except those from headers, which the rule leaves out

-- :query
-- What is inlined already is no call. Not of those whose time is not known: nobody knows
-- whether they do very little, or are inlined where there are no hooks. The compiler
-- inlines what is defined in a header: a program without hooks does not make these calls.
-- (Of nine such functions in three programs not one call was left at -O2.) The C++
-- library's templates have no file: their code lies in a library without hooks.
-- of_ns: what the run took at least. Where nearly all of the time was the hooks' the rest
-- may be far too small, more than its error says. (Lua sorts in 0.1 s; 0.06 s were left of
-- 2.1 s, and 28 million calls of index2value() came to 86 % of that.)
WITH costs AS (SELECT f.function_id, f.calls - f.inlined_calls AS calls, f.inlined_calls,
		CAST(f.self_ns - f.self_ready_ns - f.self_blocked_ns AS REAL) AS cpu_ns,
		NULLIF(MAX(0, f.raw_self_ns - f.self_ns), 0) AS hooks_ns, f.self_error_ns,
		MAX(:tiny_ns, :tiny_hooks * :hook_ns) AS most_ns,
		:run_ns + :hooks_error * (:calls * :hook_ns) / MAX(1, :lanes) AS of_ns
	FROM functions f
	WHERE f.run_id = :run AND NOT f.is_library AND f.calls - f.inlined_calls >= :least_calls
		AND (f.self_ns > f.self_error_ns OR f.self_error_ns = 0)
		AND NOT (IFNULL(f.file, '') REGEXP '[.](h|hh|hpp|hxx|H|inl|ipp|tcc)$'
			OR (f.file IS NULL AND f.name LIKE 'std::%'))
		AND f.function_id NOT IN (SELECT function_id FROM path
			WHERE run_id = :run AND kind >= 2)),
wins AS (SELECT c.*, c.calls * :call_ns * CASE WHEN cpu_ns > 0 THEN
		MIN(1, COALESCE(h.ns, cpu_ns) / cpu_ns) ELSE 1 END AS saving_ns
	FROM costs c LEFT JOIN held h USING (function_id))
SELECT function_id, calls, MAX(0, IFNULL(MIN(1, cpu_ns / :program_ns), 1)) AS cpu_share,
	NULLIF(inlined_calls, 0) AS inlined, cpu_ns / calls AS call_cpu,
	CAST(self_error_ns AS REAL) / calls AS call_cpu_error, most_ns,
	(cpu_ns + self_error_ns) / calls AS most_cpu, :call_ns AS cost_ns, hooks_ns, of_ns,
	saving_ns, saving_ns / of_ns AS won
FROM wins ORDER BY calls DESC, function_id;

-- :proof
SELECT name, calls, inlined_calls, self_cpu_ns, CAST(self_cpu_ns AS REAL) / (calls -
	inlined_calls) AS mean_cpu_ns, raw_self_ns FROM functions WHERE run_id = {run} AND function_id
	= {function_id}
