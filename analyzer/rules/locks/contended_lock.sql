-- SPDX-License-Identifier: MIT
-- :rule L1 contended-lock: Threads wait for a lock
-- :about threads wait for a lock for a large part of the run, while its holder computes
-- :needs calls wall cpu
-- :specific 1
-- :explains R1 L4 T7 T8
-- :limit least_waits = 10 count: waits for one lock
-- :limit run_share = 0.05 ratio, at most 1: share of the run that its longest waiter waited
-- while the holder had a CPU, as far as CPUs were free
-- :asks won at least run_share
-- :evidence held percent: longest waiter, share of the run
-- :evidence waits count, at least least_waits: waits
-- :evidence wait_ns ns: waited
-- :evidence cpu_wait_ns ns: CPU wait after it was free
-- :evidence threads count: threads that waited
-- :evidence computed percent: its holder computed
-- :evidence hold_ns ns: held for
-- :advice do less while holding it, or split the lock
-- :advice do the work before or after holding it, on copies
-- :advice give each part a lock of its own, or each thread its own data with sums at the
-- end
-- :advice if most only read, use a read-write lock, or an atomic pointer to data that does not
-- change
-- :speaks threads wait for one lock at least 10 times, and the longest waiter for 5 % of the run
-- :gains those waits
-- :unseen which of the threads the run waits for; unsure where the holder is unknown, as
-- with a lock that has readers

-- :query
SELECT * FROM contended;

-- :proof
SELECT name, waiter, taken_by, holder, wait_count, wait_ns, max_wait_ns, waiter_path_id,
	taken_path_id, holder_path_id FROM lock_waits WHERE run_id = {run} AND lock_id = {lock_id}
	ORDER BY wait_ns DESC
