-- SPDX-License-Identifier: MIT
-- :rule R4 too-many-threads: More busy threads than CPUs
-- :about at least twice as many threads want a CPU as there are CPUs, and wait for one
-- :says {busy thread} compete for {cpus CPU}; {ready} of their time is CPU wait
-- :needs wall cpu
-- :specific 1
-- :explains R2
-- :severity at least medium, at most medium
-- :limit threads_by_cpus = 2 ratio, at least 1: threads that want a CPU at least half of
-- the time, for each CPU
-- :limit ready = 0.3 ratio, at most 1: CPU wait, of CPU time and CPU wait
-- :limit machine = 0.9 ratio, at most 1: share of all CPUs, used or waited for, on average
-- :limit had = 0.5 ratio, at most 1: share of all CPUs used, on average; with less, other
-- programs had them
-- :limit least_ns = 200000000 ns: threads whose lives add up to less are not judged
-- :evidence busy count, at least many: threads that wanted a CPU most of the time
-- :evidence machine percent, at least machine: CPU of the machine, used or wanted
-- :evidence had percent, at least had: CPU of the machine, computed
-- :evidence cpus count: CPUs
-- :evidence ready percent, at least ready: runnable but not running
-- :why the threads take the CPUs from one another: one thread for each CPU would do the
-- same work with fewer switches
-- :advice start no more threads than there are CPUs
-- :advice hand out the work from one queue
-- :speaks twice as many threads as CPUs want to run for at least half of the time; together they
-- want 90 % of all CPUs, got half of them, and wait for a CPU for 30 % of that time
-- :gains no known saving; medium: context switches and cache misses

-- :unmeasured
SELECT CASE WHEN judged_ns < :least_ns THEN 'the sampled threads lived too briefly'
	WHEN cpus < 1 THEN 'the number of CPUs is not recorded' END FROM wished;

-- :query
SELECT *, :threads_by_cpus * cpus AS many FROM wished;

-- :proof
SELECT process_id, tid, name, wall_ns, cpu_ns, ready_ns, blocked_ns FROM threads WHERE run_id =
	{run} ORDER BY wall_ns DESC
