-- SPDX-License-Identifier: MIT
-- :rule T9 long-call: One call that computes for a long time
-- :about a single call's own code computes for a large share of the run
-- :says one call computes for {one_ns}, {cpu_share} of the CPU{mostly}
-- :needs calls wall cpu time
-- :specific 1
-- :limit least_ns = 100000000 ns: how long one call itself computes
-- :limit run_share = 0.05 ratio, at most 1: the same as a share of the run
-- :limit spun_part = 0.5 ratio, at most 1: part of its samples in libraries that wait by
-- polling (MPI, OpenMP), from which it is said to wait
-- :limit weight = 0.5 ratio, at most 1: part of the gain that counts towards the severity
-- :evidence one_ns ns, at least least_ns: computed by one call itself
-- :evidence one_held percent, at least run_share: share of the run
-- :evidence cpu_share percent: share of the program's CPU time
-- :evidence calls count: calls
-- :evidence in_spins percent: of its samples, waiting for others
-- :evidence p50_ns ns: p50 of its calls
-- :asks sure_one_ns at least least_ns
-- :asks sure_one_held at least run_share
-- :advice {less}
-- :advice {sooner}
-- :advice {inside}
-- :speaks one call's own code computes for 100 ms and 5 % of the run
-- :gains all of it
-- :unseen time spent polling, except in MPI's and OpenMP's library

-- :query
-- Functions of which one call holds half; T1 judges the rest.
WITH parts AS (SELECT c.*, CASE WHEN spun >= :spun_part THEN spun END AS in_spins,
		CASE WHEN spun >= :spun_part THEN whom END AS whose
	FROM computing c WHERE one_ns >= held_ns / 2 AND cpu_ns >= :run_share * :run_ns
		AND function_id NOT IN (SELECT p.function_id FROM lent JOIN path p USING (path_id)))
SELECT function_id, calls, one_ns, mostly, IFNULL(MIN(1, one_ns / :program_ns), 1) AS cpu_share, sure * one_ns AS sure_one_ns, one_ns / :run_ns AS one_held,
	sure * one_ns / :run_ns AS sure_one_held, CASE WHEN calls > 1 THEN p50_ns END AS p50_ns,
	in_spins, one_ns AS saving_ns, unmeasured,
	CASE WHEN whose IS NOT NULL THEN 'it waits for other ' || whose || ': most of its '
			|| 'samples are in a library that polls for them'
		ELSE 'one call computed for a long time' END AS why,
	CASE WHEN whose IS NOT NULL THEN 'give all ' || whose
			|| ' equal work: they all wait for the slowest'
		ELSE 'use a better algorithm' END AS less,
	CASE WHEN whose IS NOT NULL THEN 'wait less often: do more between two such calls, or '
			|| 'meanwhile work that does not depend on others'
		ELSE 'split it across several threads, or move it off the critical path' END AS sooner,
	CASE WHEN whose = 'ranks' THEN 'see which rank computes most: '
			|| '''prof-analyze functions'' of each, by --run'
		WHEN whose = 'threads' THEN 'see which thread finishes last: ''prof-analyze critical'''
		ELSE 'instrument its callees to see where its time goes' END AS inside
FROM parts ORDER BY cpu_ns DESC, function_id;

-- :proof
SELECT name, calls, self_cpu_ns, self_ready_ns, self_blocked_ns, total_ns, p50_ns, max_ns FROM
	functions WHERE run_id = {run} AND function_id = {function_id}
