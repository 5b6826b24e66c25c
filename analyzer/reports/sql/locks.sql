-- SPDX-License-Identifier: MIT
-- :report locks: locks: how often taken, waits, who held them
-- :takes run limit sort filter
-- :example prof-analyze locks run.db --limit 5
-- :about
-- Mutexes, read-write locks and spin locks. locked counts all calls that took the lock or
-- waited for it, waits those that found it taken; held is the longest time that one of the
-- waiters then held it. The second table shows who waited and who held the lock when the
-- wait began (one of several readers): the function that took it, and where that thread
-- spent most of the time. critical shows conditions, semaphores, barriers and thread exits.
-- A lock is named by its variable, by the heap block that contains it, or by who used it
-- first. --focus and --ignore choose by that name.

-- :keep taken
SELECT * FROM locks WHERE run_id = :run AND passes(name);

-- :note no_locks
SELECT 'No recorded thread took a lock.' AS text
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

-- A holder that was just taking the lock, or in the function that took it, has no other place to
-- name.
-- :keep held_locks
SELECT w.*, CASE WHEN holder IS taken_by OR libc_purpose(holder)
	IN ('lock', 'condition') THEN NULL
	ELSE holder END AS place FROM lock_waits w WHERE run_id = :run AND passes(name);

-- One row for who waited for whom; where the holder was is an example.
-- :table lock_waits optional rows=20 noun=pair weight=wait_ns,the_waiting = Who waited for whom
WITH places AS (SELECT *, SUM(wait_ns) AS place_ns FROM held_locks
	GROUP BY lock_id, waiter, taken_by, place),
causes AS (SELECT lock_id, name, waiter, taken_by, SUM(wait_ns) AS wait_ns,
	SUM(wait_count) AS wait_count, MAX(max_wait_ns) AS max_wait_ns FROM held_locks
	GROUP BY lock_id, waiter, taken_by),
examples AS (SELECT *, MAX(wait_ns) FROM held_locks GROUP BY lock_id, waiter, taken_by),
most AS (SELECT lock_id, waiter, taken_by, place, MAX(place_ns) AS place_ns FROM places
	WHERE place IS NOT NULL GROUP BY lock_id, waiter, taken_by)
SELECT c.wait_ns AS "waited!:wait_ns", c.wait_count AS "waits!:wait_count",
	c.max_wait_ns AS "max!:max_wait_ns", c.name AS "lock!:name", c.waiter AS "who waited!:waiter/name",
	CASE WHEN c.taken_by IS NOT NULL THEN 'held by ' || short_name(c.taken_by)
	WHEN e.holder IS NOT NULL THEN 'held by a function outside of the recording' END
	|| IIF(m.place_ns >= 0.1 * c.wait_ns, ', for ' || people('percent', 100.0 * m.place_ns / c.wait_ns) || ' of it in '
		|| short_name(m.place), '') AS ">~whose",
	c.taken_by AS ".taken_by/name", e.holder AS ".holder/name",
	e.waiter_path_id AS ".waiter_path", e.taken_path_id AS ".taken_path",
	e.holder_path_id AS ".holder_path", c.lock_id AS ".lock_id",
	e.waiter_path_id AS ".waiter_path_id", e.taken_path_id AS ".taken_path_id",
	e.holder_path_id AS ".holder_path_id"
FROM causes c JOIN examples e ON e.lock_id = c.lock_id AND e.waiter IS c.waiter
	AND e.taken_by IS c.taken_by
LEFT JOIN most m ON m.lock_id = c.lock_id AND m.waiter IS c.waiter AND m.taken_by IS c.taken_by
ORDER BY c.wait_ns DESC, c.waiter NULLS LAST;
