-- SPDX-License-Identifier: MIT
-- Threads that began in the same function, of one process.

-- Who waits for them waits for their waits for a CPU, too (of_ns). At best their work is
-- spread evenly over all of them, and over no more CPUs than there are.
-- :name alike
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
