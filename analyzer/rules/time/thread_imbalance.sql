-- SPDX-License-Identifier: MIT
-- :rule T11 thread-imbalance: Threads with unequal work
-- :about one of the threads that started in one function was busy far longer than the
-- mean
-- :says the busiest of {threads thread} computes {by_mean} times the mean
-- :needs calls wall cpu time
-- :specific 1
-- :limit longest_by_mean = 1.5 ratio, at least 1: what the busiest thread computed, over
-- the mean
-- :limit run_share = 0.2 ratio, at most 1: the same as a share of the run
-- :evidence by_mean ratio, at least longest_by_mean: longest over mean
-- :evidence held percent, at least run_share: longest thread, share of the run
-- :evidence longest_ns ns: longest
-- :evidence mean_ns ns: mean
-- :evidence threads count: threads
-- :evidence cpus count: CPUs
-- :asks least_by_mean at least longest_by_mean
-- :asks least_held at least run_share
-- :why one of the threads started here worked long after most had finished
-- :advice hand out smaller pieces, from one queue
-- :advice start with the largest pieces
-- :advice see what each thread did: 'prof-analyze tree --thread'
-- :speaks the busiest of the threads that started in one function computed 1.5 times the mean, and
-- for 20 % of the run
-- :gains down to the mean, or to the work divided by the CPUs

-- :query
-- A thread that waits for others also waits for their waits for a CPU (of_ns). At best the
-- work is spread evenly over all threads, but over no more CPUs than there are.
WITH threads AS (SELECT p.path_id, l.process_id, s.total_ns - s.ready_ns - s.blocked_ns AS cpu_ns,
		s.total_error_ns, s.ready_ns
	FROM path p JOIN path_lane s USING (path_id) JOIN lane l USING (lane_id)
	WHERE p.run_id = :run AND p.parent_path_id IS NULL AND p.kind = 0 AND s.calls > 0),
alike AS (SELECT path_id, process_id, COUNT(*) AS threads, MAX(cpu_ns) AS longest_ns,
		CAST(SUM(cpu_ns) AS REAL) AS sum_ns, MAX(total_error_ns) AS error_ns,
		MAX(0, MAX(cpu_ns) - MAX(total_error_ns)) AS least_ns,
		CAST(MAX(MAX(cpu_ns), :run_ns - MAX(ready_ns)) AS REAL) AS of_ns
	FROM threads GROUP BY path_id, process_id HAVING COUNT(*) >= 2),
best AS (SELECT *, sum_ns / MIN(threads, MAX(1, :cpus)) AS best_ns FROM alike WHERE sum_ns > 0)
SELECT path_id, process_id, threads, longest_ns, error_ns AS longest_ns_error, of_ns,
	sum_ns / threads AS mean_ns, longest_ns * threads / sum_ns AS by_mean,
	least_ns * threads / sum_ns AS least_by_mean, longest_ns / of_ns AS held,
	least_ns / of_ns AS least_held, :cpus AS cpus, 2 AS confidence,
	longest_ns - best_ns AS saving_ns
FROM best WHERE longest_ns > best_ns ORDER BY longest_ns DESC, path_id;

-- :proof
SELECT t.name, t.tid, s.calls, s.cpu_ns, s.ready_ns, s.blocked_ns FROM path_lane s JOIN threads
	t USING (lane_id) WHERE t.run_id = {run} AND s.path_id = {path_id} AND t.process_id =
	{process_id} ORDER BY s.cpu_ns DESC
