-- SPDX-License-Identifier: MIT
-- :rule L2 lock-held-asleep: A lock is held while its holder sleeps or does I/O
-- :about threads wait for a lock whose holder is in a call that sleeps, reads or writes
-- :needs calls wall cpu
-- :specific 3
-- :explains R1 L4 T7 T8 W1 W2
-- :limit least_waits = 10 count: waits for one lock
-- :limit asleep = 0.5 ratio, at most 1: part of the waits in which its holder slept or did
-- I/O
-- :limit run_share = 0.05 ratio, at most 1: share of the run that its longest waiter waited
-- while the holder had a CPU, as far as CPUs were free
-- :asks won at least run_share
-- :evidence held percent: longest waiter, share of the run
-- :evidence waits count, at least least_waits: waits
-- :evidence asleep percent, at least asleep: its holder slept or did I/O
-- :evidence wait_ns ns: waited
-- :evidence cpu_wait_ns ns: CPU wait after it was free
-- :evidence threads count: threads that waited
-- :evidence hold_ns ns: held for
-- :advice release {lock} before {before}
-- :advice take it again for the result, or hand the work to a thread of its own: a queue in
-- front of a file or a socket
-- :advice if it must be held, use a lock for each file or connection instead of one for all
-- :speaks as L1, and for half of the waiting time the holder slept or was in a call that
-- sleeps, reads or writes
-- :gains those waits
-- :unseen calls that bypass libc, unless the holder slept in them

-- :query
SELECT * FROM contended;

-- :proof
SELECT name, waiter, taken_by, holder, wait_count, wait_ns, max_wait_ns, waiter_path_id,
	taken_path_id, holder_path_id FROM lock_waits WHERE run_id = {run} AND lock_id = {lock_id}
	ORDER BY wait_ns DESC
