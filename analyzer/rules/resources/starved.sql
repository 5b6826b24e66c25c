-- SPDX-License-Identifier: MIT
-- :rule R3 starved: Runnable, but without a CPU
-- :about the program was runnable but had no CPU for much of its time, and not because of
-- its own threads
-- :says {ready} runnable but not running: other programs had the CPUs
-- :needs wall cpu
-- :specific 1
-- :severity at least low, at most low
-- :limit ready = 0.5 ratio, at most 1: CPU wait, of CPU time and CPU wait
-- :limit had = 0.5 ratio, at most 1: share of all CPUs used, on average; with less, its own
-- threads did not take them, however many they are
-- :limit least_ns = 200000000 ns: threads whose lives add up to less are not judged
-- :evidence ready percent, at least ready: runnable but not running
-- :evidence ready_ns ns: CPU wait
-- :evidence cpu_ns ns: computed
-- :evidence cpus count: CPUs
-- :evidence busy count: threads that wanted a CPU most of the time
-- :asks rivals at most cpus
-- :why the program was runnable and had no CPU, and its own threads did not use them all:
-- other programs had them, or a limit applies
-- :advice measure on an idle machine, or compare CPU time
-- :advice look for a limit: 'taskset -p', cpu.max of its control group, nice
-- :speaks the program waited for a CPU at least as long as it computed, and not for its own
-- threads: it has no more computing threads than CPUs, or had less than half of the CPUs
-- :gains nothing by itself; low: it is the machine's doing
-- :unseen who had the CPUs

-- :unmeasured
SELECT CASE WHEN judged_ns < :least_ns THEN 'the sampled threads lived too briefly'
	WHEN cpus < 1 THEN 'the number of CPUs is not recorded' END FROM wished;

-- :query
SELECT *, CASE WHEN cpu_ns < :had * :wall_ns * cpus THEN 0 ELSE busy END AS rivals FROM wished;

-- :proof
SELECT process_id, tid, name, wall_ns, cpu_ns, ready_ns, blocked_ns FROM threads WHERE run_id =
	{run} ORDER BY wall_ns DESC
