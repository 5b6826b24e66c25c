-- SPDX-License-Identifier: MIT
-- :rule T0 slow-call: Calls that take a long time
-- :about the mean duration of a function's calls is above a limit
-- :says {calls call} of {mean_ns} on average, {held} of the run
-- :needs calls wall cpu time
-- :limit high_ns = 500000000 ns: mean duration of a call, without CPU wait, above which the
-- finding is at least high
-- :limit medium_ns = 100000000 ns, not above high_ns: the same for medium
-- :limit low_ns = 50000000 ns, not above medium_ns: the same for low; a shorter mean is no
-- finding
-- :limit self_share = 0.2 ratio, at most 1: share of its time in which a function itself
-- must compute: otherwise its callees or its waits are judged
-- :evidence mean_ns ns, at least least_mean: mean per call
-- :evidence calls count: calls
-- :evidence p50_ns ns: p50 with hooks
-- :evidence max_ns ns: longest with hooks
-- :evidence held percent: computed itself, share of the run
-- :asks self_part at least self_share
-- :why each call computes for a long time in its own code
-- :advice split the work, or move it off the critical path
-- :advice see what a call does: 'prof-analyze callers'
-- :speaks a function's calls take over 50, 100, 500 ms on average, CPU wait aside, and
-- its own code computes for at least a fifth of that
-- :gains what it computes itself
-- :unseen its waits, which W1 reports

-- :query
-- Waits for a CPU are left out. A call that has not ended, such as a server's that waits for a
-- request, has no known length. severity: 3 high, 2 medium, 1 low.
WITH costs AS (SELECT f.*, f.total_ns - f.ready_ns AS served_ns,
		f.self_ns - f.self_ready_ns - f.self_blocked_ns AS own_ns,
		CAST(MAX(0, f.total_ns - f.ready_ns - f.total_error_ns) AS REAL)
			/ f.calls AS least_ns
	FROM functions f WHERE f.run_id = :run AND NOT f.is_library AND f.calls > 0
		AND f.function_id IN (SELECT function_id FROM path
			WHERE run_id = :run AND parent_path_id IS NOT NULL AND kind < 3)),
parts AS (SELECT c.*, COALESCE(h.ns, own_ns) AS held_ns, CASE WHEN least_ns > :high_ns THEN 3
		WHEN least_ns > :medium_ns THEN 2 ELSE 1 END AS severity
	FROM costs c LEFT JOIN held h USING (function_id)
	WHERE least_ns > :low_ns AND (NOT :is_live OR max_ns > :low_ns))
SELECT function_id, severity, CAST(served_ns AS REAL) / calls AS mean_ns,
	CAST(total_error_ns AS REAL) / calls AS mean_ns_error,
	CASE severity WHEN 3 THEN :high_ns WHEN 2 THEN :medium_ns ELSE :low_ns END AS least_mean,
	CAST(own_ns AS REAL) / served_ns AS self_part, calls, p50_ns, max_ns,
	held_ns / :run_ns AS held, held_ns AS saving_ns, 0 AS confidence
FROM parts ORDER BY own_ns DESC, function_id;

-- :proof
SELECT name, calls, total_ns / calls AS mean_ns, p50_ns, max_ns, self_cpu_ns, self_ready_ns,
	self_blocked_ns FROM functions WHERE run_id = {run} AND function_id = {function_id}
