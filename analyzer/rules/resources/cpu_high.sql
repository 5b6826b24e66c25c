-- SPDX-License-Identifier: MIT
-- :rule R2 cpu-high: All CPUs of the machine are busy
-- :about several threads want nearly all CPUs of the machine, or more
-- :says the threads want {machine} of the machine's {cpus CPU}
-- :needs wall cpu
-- :severity at least low
-- :limit machine = 0.9 ratio, at most 1: share of all CPUs, used or waited for, on average
-- :limit had = 0.5 ratio, at most 1: share of all CPUs used, on average; with less, other
-- programs had them
-- :limit least_ns = 200000000 ns: threads whose lives add up to less are not judged
-- :evidence machine percent, at least machine: CPU of the machine, used or wanted
-- :evidence cpus count: CPUs
-- :evidence ready percent: runnable but not running
-- :evidence busy count: threads that wanted a CPU most of the time
-- :asks busy at least two
-- :asks had at least had
-- :why the threads want all the CPU time that the machine has: more threads would not help
-- :advice reduce the work itself
-- :advice leave room for other programs: a limit, or nice
-- :speaks several threads want 90 % of all CPUs, and had half of them
-- :gains nothing by itself; low
-- :unseen who else used the machine

-- :unmeasured
SELECT CASE WHEN judged_ns < :least_ns THEN 'the sampled threads lived too briefly'
	WHEN cpus < 1 THEN 'the number of CPUs is not recorded' END FROM wished;

-- :query
SELECT *, 2 AS two FROM wished;

-- :proof
SELECT process_id, tid, name, wall_ns, cpu_ns, ready_ns, blocked_ns FROM threads WHERE run_id =
	{run} ORDER BY wall_ns DESC
