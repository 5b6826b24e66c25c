-- SPDX-License-Identifier: MIT
-- :rule L3 lock-convoy: Threads queue for a lock that is held briefly
-- :about several threads wait for a lock far longer than it is held each time
-- :needs calls wall cpu
-- :specific 2
-- :explains R1 L4 T7 T8
-- :limit least_waits = 50 count: waits for one lock
-- :limit threads = 3 count: threads that waited for it
-- :limit hold_ns = 100000 ns: mean time for which those who had waited held it, at most
-- :limit queue = 3 ratio: mean wait over mean time held
-- :limit busy = 0.5 ratio, at most 1: part of the run, or of the CPU time if that is less, that the
-- lock is held, at most: beyond it the work under the lock is the bottleneck, however brief (L1)
-- :limit run_share = 0.05 ratio, at most 1: share of the run that its longest waiter waited
-- while the holder had a CPU, as far as CPUs were free
-- :asks won at least run_share
-- :evidence held percent: longest waiter, share of the run
-- :evidence waits count, at least least_waits: waits
-- :evidence wait_ns ns: waited
-- :evidence cpu_wait_ns ns: CPU wait after it was free
-- :evidence threads count, at least threads: threads that waited
-- :evidence hold_ns ns, at most hold_ns: held for
-- :evidence queue ratio, at least queue: wait over time held
-- :evidence busy percent, at most busy: the lock is held, share of the run
-- :why {threads thread} queue for {lock} in {>waiter_path_id}; it is held so briefly that
-- the queue and waking the next thread take the time
-- :advice take it less often, for several items at a time
-- :advice keep counters and lists for each thread, and add them up
-- :advice use an atomic operation instead of the lock
-- :speaks three threads wait at least 50 times, on average three times as long as the lock is then
-- held, which is at most 100 us; the lock is held for less than half of the run
-- :gains those waits
-- :unseen how long a lock was held by threads that never waited for it

-- :query
SELECT * FROM contended;

-- :proof
SELECT name, waiter, taken_by, holder, wait_count, wait_ns, max_wait_ns, waiter_path_id,
	taken_path_id, holder_path_id FROM lock_waits WHERE run_id = {run} AND lock_id = {lock_id}
	ORDER BY wait_ns DESC
