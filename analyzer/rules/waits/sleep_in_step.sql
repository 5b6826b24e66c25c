-- SPDX-License-Identifier: MIT
-- :rule W3 sleep-in-step: A sleep in each step
-- :about a function sleeps about once in each step, and the steps take longer for it
-- :says sleeps in {callee}() in each step '{step}', {step_part} of its time
-- :needs calls steps wall cpu
-- :specific 3
-- :explains R1 W1 W2
-- :limit least_steps = 10 count: steps of one name
-- :limit by_step = 0.5 ratio: sleeps of one function for each step
-- :limit steps_share = 0.1 ratio, at most 1: share of the steps' time that they take,
-- without CPU wait
-- :evidence by_step ratio, at least by_step: sleeps for each step
-- :evidence step_part percent, at least steps_share: slept, share of the steps' time
-- :evidence first_ns ns: slept
-- :evidence steps count: steps
-- :why nearly each step '{step}' sleeps in {callee}()
-- :advice wait for the event that the step needs, not for a time
-- :advice do the next step's work while waiting
-- :advice if the rate is intended, as of frames on a screen, suppress this rule with a reason
-- :speaks on the first thread of a process, a function sleeps in every other step or more
-- often, for 10 % of the steps' time
-- :gains those sleeps
-- :unseen whether the rate is intended

-- :query
SELECT w.path_id, w.function_id, w.by_path_id, w.callee, w.first_ns, t.name AS step, t.timed_count AS steps,
	CAST(w.first_calls AS REAL) / t.timed_count AS by_step,
	CAST(w.first_ns AS REAL) / MAX(1, t.total_ns - IFNULL(t.ready_ns, 0)) AS step_part,
	w.first_ns AS saving_ns
FROM waiting w JOIN step_totals t ON t.run_id = :run AND t.process_id IS NULL
	AND t.timed_count >= :least_steps
WHERE purpose = 'sleep' ORDER BY w.blocked_ns DESC, w.function_id, w.callee;

-- :proof
SELECT p.path_id, p.name, c.name AS callee, c.kind, c.calls, c.self_blocked_ns, c.self_ready_ns
	FROM call_paths c JOIN call_paths p ON p.path_id = CASE WHEN c.kind IN ('wait', 'io') THEN
	c.parent_path_id ELSE c.path_id END WHERE c.run_id = {run} AND p.function_id = (SELECT
	function_id FROM call_paths WHERE run_id = {run} AND path_id = {by_path_id})
	AND c.self_blocked_ns > 0 ORDER BY c.self_blocked_ns DESC
