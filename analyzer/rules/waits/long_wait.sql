-- SPDX-License-Identifier: MIT
-- :rule W1 long-wait: Long waits that hold up the program
-- :about a function slept for a long time on the thread that the run waits for, and not
-- because of other threads
-- :says sleeps {own_ns} {place}, {long_part} of the run
-- :needs calls wall cpu end
-- :specific 1
-- :explains R1
-- :limit least_ns = 100000000 ns: one wait, or the mean of all of a function's
-- :limit run_share = 0.05 ratio, at most 1: share of the run that such waits must take
-- :evidence own_ns ns, at least least_ns: slept in long waits
-- :evidence long_part percent, at least run_share: share of the run
-- :evidence first_calls count: waits
-- :evidence longest_ns ns: longest
-- :why it kept its thread asleep {place}
-- :advice {remedy}
-- :advice wait for several things at once, or ask for less
-- :advice set a time limit, so that a slow answer cannot hold the program
-- :speaks on the first thread of a process, a function slept for 100 ms at a time, or on average,
-- and for 5 % of the run; waits for other threads, children (and on a pipe where there are several
-- processes), signals or requests do not count
-- :gains those waits
-- :unseen why it waits in its own code; with threads, waits outside libc calls

-- :query
WITH long AS (SELECT w.*, CASE WHEN first_ns >= :least_ns * first_calls THEN first_ns
			WHEN longest_ns >= :least_ns THEN MIN(longest_ns, first_ns) END
			AS long_ns
	FROM waiting w)
SELECT path_id, function_id, by_path_id, callee, first_calls, NULLIF(longest_ns, 0) AS longest_ns,
	long_ns AS own_ns, long_ns / :run_ns AS long_part, long_ns AS saving_ns,
	CASE WHEN callee IS NULL THEN 1 ELSE 2 END AS confidence,
	CASE WHEN callee IS NULL THEN 'in a call that was not recorded by name'
		ELSE 'in ' || callee || '()' END AS place,
	CASE purpose WHEN 'sleep' THEN 'wait for the event, not for a time'
		ELSE 'start it earlier, or on another thread' END AS remedy
FROM long WHERE purpose NOT IN ('lock', 'peer', 'condition', 'thread', 'child', 'event')
	AND (callee IS NOT NULL OR (SELECT COUNT(*) FROM lane WHERE run_id = :run) <= 1)
ORDER BY blocked_ns DESC, function_id, callee;

-- :proof
SELECT p.path_id, p.name, c.name AS callee, c.kind, c.calls, c.self_blocked_ns, c.self_ready_ns
	FROM call_paths c JOIN call_paths p ON p.path_id = CASE WHEN c.kind IN ('wait', 'io') THEN
	c.parent_path_id ELSE c.path_id END WHERE c.run_id = {run} AND p.function_id = (SELECT
	function_id FROM call_paths WHERE run_id = {run} AND path_id = {by_path_id})
	AND c.self_blocked_ns > 0 ORDER BY c.self_blocked_ns DESC
