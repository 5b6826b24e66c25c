-- SPDX-License-Identifier: MIT
-- :report locks: locks: how often taken, how long waited for, whose
-- :takes run limit sort filter
-- :example prof-analyze locks run.db --limit 5
-- :about
-- Mutexes, locks of readers and writers, and spin locks. locked are all calls that took the
-- lock or waited for it, waits those that found it taken; held is the longest that one of
-- these then had it until its unlock. The second table says who waited and who had the lock
-- when the wait began, of several readers one of them: the function that took it, and what
-- that thread was in just then. The third is about condition variables, semaphores, barriers
-- and the ends of threads: who waited, and who signalled last before the wait was over, came
-- last or was to end. A lock goes by its variable, by the block of the heap that it lies in,
-- or by who used it first. --focus and --ignore choose by that name.

-- :keep taken
SELECT * FROM locks WHERE run_id = :run AND passes(name);

-- :note no_locks
SELECT 'No lock of the run was taken by a thread that was recorded.' AS text
WHERE NOT EXISTS (SELECT 1 FROM taken);

-- :table locks main sort rows=20 noun=lock weight=wait_ns,the_waiting = Locks
SELECT wait_ns AS "waited!:wait_ns", contended AS "waits!:contended/count",
	acquisitions AS "locked!:acquisitions/count",
	CASE WHEN acquisitions > 0 THEN 100.0 * contended / acquisitions END
	AS ".contended_percent",
	p50_wait_ns AS "median:p50_wait_ns", p95_wait_ns AS ".p95_wait_ns",
	p99_wait_ns AS "p99:p99_wait_ns",
	CASE WHEN contended > 0 THEN max_wait_ns END AS "max!:max_wait_ns",
	CASE WHEN hold_count > 0 THEN max_hold_ns END AS "held!:max_hold_ns",
	hold_count AS ".hold_count", hold_ns AS ".hold_ns", name AS "lock!:name",
	kind AS ".kind", named_by AS ".named_by", module AS ".module/text",
	address AS ".address/id", lock_id AS ".lock_id", process_id AS ".process_id",
	first_path_id AS ".first_path_id"
FROM taken ORDER BY wait_ns DESC, name;

-- :table lock_waits optional rows=20 noun=pair weight=wait_ns,the_waiting = Who waited for whom
SELECT wait_ns AS "waited!:wait_ns", wait_count AS "waits!:wait_count",
	max_wait_ns AS "max!:max_wait_ns", name AS "lock!:name",
	waiter AS "who waited!:waiter/name",
	CASE WHEN taken_by IS NOT NULL OR holder IS NOT NULL THEN
	'for ' || IFNULL(short_name(taken_by), 'a function outside of the recording')
	|| CASE WHEN taken_by IS holder THEN '' ELSE ', which was in '
	|| IFNULL(short_name(holder), 'a function outside of the recording') END END
	AS ">~whose",
	taken_by AS ".taken_by/name", holder AS ".holder/name",
	waiter_path_id AS ".waiter_path", taken_path_id AS ".taken_path",
	holder_path_id AS ".holder_path", lock_id AS ".lock_id",
	waiter_path_id AS ".waiter_path_id", taken_path_id AS ".taken_path_id",
	holder_path_id AS ".holder_path_id"
FROM lock_waits WHERE run_id = :run AND passes(name)
ORDER BY wait_ns DESC, waiter NULLS LAST;

-- :table signals optional rows=20 noun=pair weight=wait_ns,the_waiting = Who signalled whom
SELECT wait_ns AS "waited!:wait_ns", wait_count AS "waits!:wait_count",
	max_wait_ns AS "max!:max_wait_ns", name AS "for!:name",
	waiter AS "who waited!:waiter/name",
	CASE kind WHEN 'barrier' THEN 'the last was ' WHEN 'thread' THEN 'which began with '
	ELSE 'signalled by ' END || short_name(signaller) AS ">~whose",
	signaller AS ".signaller/name", waiter_path_id AS ".waiter_path",
	signaller_path_id AS ".signaller_path", kind AS ".kind", lock_id AS ".lock_id",
	waiter_path_id AS ".waiter_path_id", signaller_path_id AS ".signaller_path_id"
FROM signals WHERE run_id = :run AND passes(name)
ORDER BY wait_ns DESC, waiter NULLS LAST;
