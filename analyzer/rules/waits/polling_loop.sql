-- SPDX-License-Identifier: MIT
-- :rule W2 polling-loop: A loop of short sleeps
-- :about a function sleeps very often for a short time, as in a polling loop
-- :says sleeps {sleeps time} for {mean_ns} each, {blocked_part} of the run
-- :needs calls wall cpu
-- :specific 2
-- :explains R1
-- :severity at least medium
-- :limit least_calls = 50 count: sleeps of one function
-- :limit mean_ns = 50000000 ns: mean of them, at most
-- :limit run_share = 0.05 ratio: share of the run that they take, all threads together
-- :limit weight = 0.5 ratio, at most 1: part of the gain that counts towards the severity
-- :evidence sleeps count, at least least_calls: sleeps
-- :evidence mean_ns ns, at most mean_ns: mean
-- :evidence blocked_part percent, at least run_share: slept, share of the run
-- :why it sleeps in {callee}() again and again: on average it notices events half a sleep
-- late, and each wake-up takes CPU time
-- :advice wait for the event itself: a condition variable, poll()
-- :advice if nothing signals the event, check less often, or at growing intervals
-- :advice if the rate is intended, suppress this rule with a reason
-- :speaks a function sleeps 50 times or more, for at most 50 ms on average, and for 5 % of
-- the run in all
-- :gains the first thread's sleep; at least medium
-- :unseen whether the rate is intended

-- :query
SELECT path_id, function_id, by_path_id, callee, calls AS sleeps, blocked_ns / calls AS mean_ns,
	blocked_ns / :run_ns AS blocked_part, first_ns AS saving_ns
FROM waiting WHERE purpose = 'sleep' ORDER BY blocked_ns DESC, function_id, callee;

-- :proof
SELECT p.path_id, p.name, c.name AS callee, c.kind, c.calls, c.self_blocked_ns, c.self_ready_ns
	FROM call_paths c JOIN call_paths p ON p.path_id = CASE WHEN c.kind IN ('wait', 'io') THEN
	c.parent_path_id ELSE c.path_id END WHERE c.run_id = {run} AND p.function_id = (SELECT
	function_id FROM call_paths WHERE run_id = {run} AND path_id = {by_path_id})
	AND c.self_blocked_ns > 0 ORDER BY c.self_blocked_ns DESC
