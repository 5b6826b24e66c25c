-- SPDX-License-Identifier: MIT
-- :rule T14 likely-hot: Many of the run's calls are made in code whose time the hooks hide
-- :about many of the run's calls are made in a function's code, to inlined functions or by
-- libraries, and its own time is not known well
-- :needs calls
-- :severity at most medium
-- :limit hooks_share = 0.2 ratio, at most 1: share of the run that the hooks took: with
-- less T1 judges
-- :limit made_share = 0.3 ratio, at most 1: share of the run's calls that are made in the
-- function's code: to functions inlined in it, and by libraries on its behalf
-- :limit made_each = 10 count: such calls for each call of the function
-- :limit least_calls = 100000 count: such calls
-- :limit self_share = 0.05 ratio, at most 1: the function's share of the self time that
-- remains without the hooks
-- :limit least_error = 0.1 ratio: relative error of that time, below which T1 judges
-- :limit weight = 0.5 ratio, at most 1: part of the gain that counts towards the severity
-- :evidence made_part percent, at least made_share: share of all calls, made in its code
-- :evidence made_per_call count, at least made_each: such calls for each of its own
-- :evidence calls count: calls of it
-- :evidence self_part percent, at least self_share: of the self time that remains
-- :evidence cpu_ns ns: which is
-- :asks made at least least_calls
-- :asks by_time at least least_error
-- :why its loops make these calls, so the time most likely goes there; their time without
-- hooks is unknown
-- :advice use a better algorithm or cache results
-- :advice see the lines with 'perf annotate' on the build without hooks
-- :advice to measure its time, build with fewer hooks; 'prof-analyze exclude-list
-- --program PROGRAM' says how
-- :speaks the hooks took a fifth of the run, and 30 % of all calls are to functions
-- inlined in one function or to libraries it uses (100,000 at least, ten for each call of
-- it); without the hooks it has 5 % of the self time, known to 10 % at best
-- :gains no saving; the weight is half of those calls' share; at most medium, confidence
-- low
-- :unseen code without calls, and calls that the compiler removes entirely: in eight C++ programs
-- such functions took 14 to 59 % of the run without hooks, in four of them the largest share
-- (`rules-calibration.md`)

-- :query
-- left_ns: what all functions computed without hooks. by_time: the error of a function's part
-- of that, relative to the part. Functions found by T1 have a known time. makers: the inlined
-- user function that makes most of the calls.
WITH RECURSIVE sums AS (SELECT TOTAL(MAX(0, self_ns - self_ready_ns - self_blocked_ns)) AS left_ns,
		(SELECT calls FROM made WHERE function_id = 0) AS calls
	FROM functions WHERE run_id = :run),
parts AS (SELECT f.function_id, f.calls, m.calls AS made,
		f.self_ns - f.self_ready_ns - f.self_blocked_ns AS cpu_ns, f.self_error_ns
	FROM functions f JOIN made m USING (function_id)
	WHERE f.run_id = :run AND f.calls > 0 AND NOT f.is_library
		AND NOT is_found('T1', f.function_id)),
inside AS (SELECT p.path_id, p.function_id AS host_id, NULL AS by_id, p.function_id AS maker_id,
		0 AS calls, 0 AS estimated
	FROM path p WHERE p.run_id = :run AND p.host_path_id IS NULL AND p.function_id IN (
		SELECT function_id FROM parts, sums s WHERE made >= :made_share * s.calls)
	UNION ALL
	SELECT c.path_id, i.host_id, i.maker_id, IIF(f.is_library, i.maker_id, c.function_id), c.calls,
		c.recording <> 0
	FROM inside i JOIN path c ON c.parent_path_id = i.path_id JOIN function f USING (function_id)
	WHERE c.host_path_id IS NOT NULL OR f.is_library),
makers AS (SELECT host_id, maker_id, MAX(calls) FROM (SELECT host_id, by_id AS maker_id,
		SUM(calls) AS calls FROM inside GROUP BY 1, 2) GROUP BY 1)
SELECT function_id, p.calls, made, 1.0 * made / s.calls AS made_part,
	1.0 * made / p.calls AS made_per_call, cpu_ns, self_error_ns AS cpu_ns_error,
	cpu_ns / left_ns AS self_part, 1.0 * self_error_ns / cpu_ns AS by_time,
	1.0 * made / s.calls AS at_stake, 0 AS confidence,
	(SELECT IIF(MAX(estimated), 'about ', '') FROM inside WHERE host_id = p.function_id) AS about,
	maker, IIF(maker IS NULL, '{about}{made_part} of all calls are made in its code',
		'{maker}, inlined in it, makes {about}{made_part} of all calls') AS says
FROM parts p, sums s LEFT JOIN (SELECT m.host_id, short_name(40, f.name) AS maker FROM makers m
	JOIN function f ON f.function_id = m.maker_id WHERE m.maker_id <> m.host_id)
	ON host_id = p.function_id
WHERE cpu_ns > 0 AND left_ns > 0 AND s.calls > 0
	AND :run_hooks_ns >= :hooks_share * (:run_hooks_ns + :run_ns)
ORDER BY made DESC, function_id;

-- :proof
SELECT name, calls, self_cpu_ns, self_error_ns, raw_self_ns FROM functions WHERE run_id = {run}
	AND function_id = {function_id}
