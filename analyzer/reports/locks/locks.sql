-- SPDX-License-Identifier: MIT
-- Locks, and the waits for them.

-- :name all
SELECT lock_id, name, kind, acquisitions, contended,
	CASE WHEN acquisitions > 0 THEN 100.0 * contended / acquisitions END
	AS contended_percent, wait_ns, p50_wait_ns, p95_wait_ns, p99_wait_ns,
	CASE WHEN contended > 0 THEN max_wait_ns END AS max_wait_ns, hold_count, hold_ns,
	CASE WHEN hold_count > 0 THEN max_hold_ns END AS max_hold_ns, named_by, module, address, first_path_id,
	process_id FROM locks WHERE run_id = :run;

-- :name signals
SELECT lock_id, name, kind, wait_count, wait_ns, max_wait_ns, waiter, signaller,
	waiter_path_id, signaller_path_id FROM signals WHERE run_id = :run;

-- :name waits
SELECT lock_id, name, wait_count, wait_ns, max_wait_ns, waiter, taken_by, holder,
	waiter_path_id, taken_path_id, holder_path_id
	FROM lock_waits WHERE run_id = :run;
