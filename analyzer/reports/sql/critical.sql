-- SPDX-License-Identifier: MIT
-- :report critical: the critical path through the run's threads
-- :takes run limit sort filter
-- :example prof-analyze critical run.db --limit 5
-- :about
-- The critical path leads from the end of the run back to its start, on one thread at a
-- time. Where that thread waited for another one (a lock, a condition variable, a
-- semaphore, a barrier, the end of a thread, a signal, a pipe), it continues on that one.
-- Nobody waited for work outside the path. of run is the estimated share of a call path's
-- own time: a thread's time on the critical path is divided like all its work, and time
-- with a lock held as the waiters saw it. at most bounds the gain: without this path's
-- self time the run would be at most that much shorter. with callees is that bound for
-- the path with everything it called. Waits for files, sockets, sleeps, other processes
-- and unrecorded causes stay with the call that waited. With several such processes the
-- longest is shown. The last table says who waited for a condition, a semaphore, a
-- barrier or the end of a thread, and who signalled last before the wait ended, arrived last, or
-- was the thread that had to end. --focus and --ignore choose by names; --sort takes any json
-- column.

-- :nothing

-- Computed in C: the critical path as a whole, its shares by call path (at the path and below
-- it), and its time on each thread. Time outside all functions has no path_id.
-- :keep walked
SELECT 0 AS process_id, 0 AS pid, 0 AS run_ns, 0 AS begun_ns, 0 AS window_count, 0 AS window_ns,
	0 AS period_ns, 0 AS guessed_count WHERE 0;

-- :keep shares
SELECT 0 AS path_id, '' AS name, 0 AS is_libc, 0 AS ns, 0 AS cpu_ns, 0 AS ready_ns,
	0 AS blocked_ns, 0 AS waited_ns, 0 AS slept_ns, 0 AS woken_ns, 0 AS least_ns,
	0 AS most_ns, 0 AS tree_ns, 0 AS tree_most_ns, 0 AS lane_count, 0 AS largest_ns,
	0 AS largest_lane_id WHERE 0;

-- :keep on_threads
SELECT 0 AS thread_id, 0 AS ns, 0 AS waited_ns WHERE 0;

-- :code critical fills=walked,shares,on_threads

-- :note one_thread stop
SELECT 'No process of the run had several threads: everything that its one thread did
	was on the critical path.' AS text,
	'See `functions` and `tree` for where the time went.' AS advice
WHERE NOT EXISTS (SELECT 1 FROM walked);

-- asleep_ns: slept in known calls. waited_ns: slept elsewhere, or waited for an unknown thread.
-- :keep sums
SELECT *, MAX(0, run_ns - cpu_ns - ready_ns - asleep_ns - waited_ns - woken_ns - begun_ns)
	AS outside_ns FROM walked, (SELECT TOTAL(cpu_ns) AS cpu_ns, TOTAL(ready_ns) AS ready_ns,
	TOTAL(IIF(is_libc, blocked_ns, 0) + slept_ns) AS asleep_ns,
	TOTAL(IIF(is_libc, 0, blocked_ns) + waited_ns) AS waited_ns, TOTAL(woken_ns) AS woken_ns
	FROM shares);

-- Parts of less than half a percent are left out.
-- :keep made_of
SELECT title, 100 * ns / run_ns AS percent FROM (SELECT 'computing' AS title, cpu_ns AS ns, run_ns
	FROM sums UNION ALL SELECT 'CPU wait', ready_ns, run_ns FROM sums
	UNION ALL SELECT 'asleep or in I/O', asleep_ns, run_ns FROM sums
	UNION ALL SELECT 'unknown waits', waited_ns, run_ns FROM sums
	UNION ALL SELECT 'being woken', woken_ns, run_ns FROM sums
	UNION ALL SELECT 'threads beginning', begun_ns, run_ns FROM sums
	UNION ALL SELECT 'outside of all functions', outside_ns, run_ns FROM sums)
WHERE run_ns > 0 AND 100 * ns / run_ns >= 0.5;

-- :values critical
SELECT '{run_ns}, of process {pid}' AS "critical path:~size", '{parts}' AS "made of:~made",
	pid AS "-pid", (SELECT IFNULL(group_concat(title || ' ' || people('percent', percent), ', '),
	'') FROM made_of) AS "-parts/text", process_id AS ".process_id",
	CAST(run_ns AS INTEGER) AS ".run_ns", CAST(cpu_ns AS INTEGER) AS ".cpu_ns",
	CAST(ready_ns AS INTEGER) AS ".ready_ns", CAST(asleep_ns AS INTEGER) AS ".asleep_ns",
	CAST(waited_ns AS INTEGER) AS ".not_named_ns", CAST(woken_ns AS INTEGER) AS ".woken_ns",
	CAST(begun_ns AS INTEGER) AS ".beginning_ns", CAST(outside_ns AS INTEGER) AS ".outside_ns",
	window_count AS ".window_count"
FROM sums;

-- :note windows
SELECT 'There were more waits than are kept one by one: this is from {window_count window} of
	{window_ns}, one every {period_ns}, and the bounds are those of a sample.' AS text,
	window_count, CAST(window_ns AS INTEGER) AS window_ns, CAST(period_ns AS INTEGER) AS period_ns
FROM walked WHERE window_count > 0;

-- :note not_named
SELECT '{percent} of the run is waits with no recorded cause: a time limit, another
	process, a call that is not recorded. They stay with the path that waited, as a wait for
	a file does.' AS text, percent
FROM made_of WHERE title = 'unknown waits';

-- :note guessed_makers
SELECT '{guessed_count thread} on it may have been made by any of several others.' AS text,
	guessed_count FROM walked WHERE guessed_count > 0;

-- A path's thread is the last one of the lane with most of it: most lanes have only one thread.
-- :table critical_paths main sort by=critical_ns,path_id rows=15 details=5 noun=path weight=critical_ns,the_critical_path = By call path
WITH p AS (SELECT *, blocked_ns + slept_ns AS asleep_ns FROM shares JOIN walked
	WHERE path_id IS NOT NULL AND fits(name) AND (ns > 0 OR :machine AND tree_ns > 0)),
last AS (SELECT lane_id, thread, MAX(place) FROM (SELECT lane_id,
		IFNULL(name, CAST(tid AS TEXT)) AS thread,
		ROW_NUMBER() OVER (ORDER BY started_ns, thread_id) AS place
		FROM threads WHERE run_id = :run) GROUP BY lane_id)
SELECT IIF(run_ns > 0, 100 * ns / run_ns, 0.0) AS "of run!:share_percent",
	IIF(run_ns > 0, 100 * least_ns / run_ns, 0.0) AS "at least:least_percent",
	IIF(run_ns > 0, 100 * MIN(most_ns, run_ns) / run_ns, 0.0) AS "at most!:bound_percent",
	IIF(run_ns > 0, 100 * MIN(tree_most_ns, run_ns) / run_ns, 0.0)
	AS "with callees:tree_bound_percent", CAST(ns AS INTEGER) AS "time:.critical_ns",
	what AS ".what/text", IIF(what = 'ready', 'CPU wait', what) AS "what!:~state",
	IIF(lane_count > 1 AND largest_ns < 0.95 * ns, counted('thread', lane_count),
	last.thread) AS "thread!:thread",
	name AS "function!:name", path_id AS "path:>path", CAST(least_ns AS INTEGER) AS ".least_ns",
	CAST(most_ns AS INTEGER) AS ".most_ns", CAST(tree_ns AS INTEGER) AS ".tree_critical_ns",
	CAST(cpu_ns AS INTEGER) AS ".cpu_ns", CAST(ready_ns AS INTEGER) AS ".ready_ns",
	CAST(asleep_ns AS INTEGER) AS ".asleep_ns", CAST(waited_ns AS INTEGER) AS ".not_named_ns",
	CAST(woken_ns AS INTEGER) AS ".woken_ns", lane_count AS ".thread_count", path_id AS ".path_id"
FROM (SELECT *, CASE MAX(cpu_ns, ready_ns, asleep_ns, waited_ns, woken_ns) WHEN cpu_ns
	THEN 'computing' WHEN ready_ns THEN 'ready' WHEN asleep_ns THEN 'asleep'
	WHEN waited_ns THEN 'waiting' ELSE 'woken' END AS what FROM p) p LEFT JOIN last ON last.lane_id = p.largest_lane_id;

-- :table critical_threads rows=15 noun=thread weight=critical_ns,the_critical_path = By thread
SELECT IIF(run_ns > 0, 100 * ns / run_ns, 0.0) AS "of run!:share_percent",
	CAST(ns AS INTEGER) AS "on the path!:critical_ns", IFNULL(t.wall_ns, 0) AS "lasted!:wall_ns",
	IFNULL(t.cpu_ns, 0) AS "computed:cpu_ns", IIF(w.window_count, NULL, CAST(o.waited_ns AS INTEGER))
	AS "waited for others:waited_ns", t.tid AS "tid!:tid", t.name AS "thread!:thread/text",
	t.thread_id AS ".thread_id", t.lane_id AS ".lane_id"
FROM on_threads o JOIN walked w JOIN threads t ON t.run_id = :run AND t.thread_id = o.thread_id
WHERE ns > 0 OR :machine ORDER BY CAST(ns AS INTEGER) DESC, t.thread_id DESC;

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
