-- SPDX-License-Identifier: MIT
-- :rule T14 likely-hot: Much of the run's calls are in code whose time the hooks hide
-- :about much of the run's calls is in a function's code, inlined or of libraries, and what is
-- left of its time is not known well
-- :says {made_part} of all calls are made in its code; the hooks hide its time
-- :needs calls
-- :severity at most medium
-- :limit hooks_share = 0.2 ratio, at most 1: share that the hooks took of the run: with less
-- T1 judges
-- :limit made_share = 0.3 ratio, at most 1: share of the run's calls that are in the
-- function's code: of what is inlined in it, and what libraries do for it
-- :limit made_each = 10 count: such calls for each of its own
-- :limit least_calls = 100000 count: such calls
-- :limit self_share = 0.05 ratio, at most 1: share that the function has of the self time that
-- is left without the hooks
-- :limit least_error = 0.1 ratio: error of that time by the time, below which T1 judges
-- :limit weight = 0.5 ratio, at most 1: part of the gain that counts for the severity
-- :evidence made_part percent, at least made_share: calls in its code, of all
-- :evidence made_per_call count, at least made_each: for each call of it
-- :evidence calls count: calls of it
-- :evidence self_part percent, at least self_share: of the self time that is left
-- :evidence cpu_ns ns: that is
-- :asks made at least least_calls
-- :asks by_time at least least_error
-- :why its loops make these calls, so the time most likely goes there; the calls are exact,
-- how long they take without hooks is not known
-- :advice use a better algorithm or cache results
-- :advice see the lines with 'perf annotate' on the build without hooks
-- :advice measure its time: build with fewer hooks; 'prof-analyze exclude-list --program
-- PROGRAM' says how
-- :speaks the hooks took a fifth of the run, and of all calls 30 % are of what is inlined in a
-- function and what libraries do for it (100,000 at least, ten for each call of it); of the
-- self time left without the hooks it has 5 %, known to 10 % at best
-- :gains nothing is told: half of those calls weigh it, at most medium, confidence low
-- :unseen code without calls, and calls that the compiler leaves nothing of: such functions of
-- eight C++ programs took 14 to 59 % of the run without hooks, in four the most
-- (`rules-calibration.md`)

-- :query
-- left_ns: what all functions computed, without the hooks. by_time: the error of a function's
-- part of that, by the part. What T1 found has a time that is known.
WITH sums AS (SELECT TOTAL(MAX(0, self_ns - self_ready_ns - self_blocked_ns)) AS left_ns,
		(SELECT calls FROM made WHERE function_id = 0) AS calls
	FROM functions WHERE run_id = :run),
parts AS (SELECT f.function_id, f.calls, m.calls AS made,
		f.self_ns - f.self_ready_ns - f.self_blocked_ns AS cpu_ns, f.self_error_ns
	FROM functions f JOIN made m USING (function_id)
	WHERE f.run_id = :run AND f.calls > 0 AND NOT f.is_library
		AND NOT is_found('T1', f.function_id))
SELECT function_id, p.calls, made, 1.0 * made / s.calls AS made_part,
	1.0 * made / p.calls AS made_per_call, cpu_ns, self_error_ns AS cpu_ns_error,
	cpu_ns / left_ns AS self_part, 1.0 * self_error_ns / cpu_ns AS by_time,
	1.0 * made / s.calls AS at_stake, 0 AS confidence
FROM parts p, sums s
WHERE cpu_ns > 0 AND left_ns > 0 AND s.calls > 0
	AND :run_hooks_ns >= :hooks_share * (:run_hooks_ns + :run_ns)
ORDER BY made DESC, function_id;

-- :proof
SELECT name, calls, self_cpu_ns, self_error_ns, raw_self_ns FROM functions WHERE run_id = {run}
	AND function_id = {function_id}
