-- SPDX-License-Identifier: MIT
-- :report callers: callers and callees of one function
-- :argument FUNC
-- :takes run limit inlined sort thread
-- :example prof-analyze callers run.db parse_record
-- :about
-- Who calls FUNC and whom FUNC calls, with calls and time; shares are of FUNC's total. FUNC is a
-- name, with or without arguments and namespaces, a part of a name that fits only one function, or
-- #ID.

-- The function may have done nothing in the chosen thread.
-- :keep meant
WITH sum AS (SELECT calls, total_ns, total_error_ns, ready_ns, blocked_ns, self_ns,
	self_error_ns, self_ready_ns, self_blocked_ns, alloc_count, alloc_bytes
	FROM main.functions WHERE function_id = :function AND :thread IS NULL AND NOT :inlined
UNION ALL SELECT SUM(calls), SUM(is_outermost * total_ns),
	SUM(is_outermost * total_error_ns), SUM(is_outermost * ready_ns),
	SUM(is_outermost * blocked_ns), SUM(self_ns), SUM(self_error_ns), SUM(self_ready_ns),
	SUM(self_blocked_ns), SUM(alloc_count), SUM(alloc_bytes)
	FROM tree WHERE function_id = :function AND (:thread IS NOT NULL OR :inlined)
	HAVING COUNT(*))
SELECT f.function_id, f.name, f.file, f.line,
	f.recording, IIF(f.calls IS NOT NULL, IFNULL(s.calls, 0), NULL) AS calls,
	IFNULL(s.total_ns, 0) AS total_ns, IFNULL(s.total_error_ns, 0) AS total_error_ns,
	IFNULL(s.ready_ns, 0) AS ready_ns, IFNULL(s.blocked_ns, 0) AS blocked_ns,
	IFNULL(s.self_ns, 0) AS self_ns, IFNULL(s.self_error_ns, 0) AS self_error_ns,
	IFNULL(s.self_ready_ns, 0) AS self_ready_ns,
	IFNULL(s.self_blocked_ns, 0) AS self_blocked_ns,
	IFNULL(s.alloc_count, 0) AS alloc_count, IFNULL(s.alloc_bytes, 0) AS alloc_bytes
FROM main.functions f LEFT JOIN sum s WHERE f.function_id = :function;

-- As the program was built, in all threads; else by the paths. The error of an edge is that
-- of its callee, as far as its time is. A function that another was inlined into has the time
-- of its calls, but not the calls: without such rows the others would not add up to the total.
-- :keep edges
SELECT e.caller_id, c.name AS caller, e.callee_id, f.name AS callee, e.calls,
	e.inlined_calls, e.total_ns, e.cpu_ns, e.ready_ns, e.blocked_ns,
	CAST(COALESCE(1.0 * f.total_error_ns * e.total_ns / NULLIF(f.total_ns, 0),
	1.0 * f.total_error_ns * e.calls / NULLIF(f.calls, 0)) AS INTEGER) AS total_error_ns
FROM edge e JOIN main.functions f ON f.function_id = e.callee_id
	JOIN main.functions c ON c.function_id = e.caller_id
WHERE e.run_id = :run AND (e.calls > 0 OR e.total_ns <> 0 OR f.calls IS NULL)
	AND :function IN (e.caller_id, e.callee_id)
	AND :thread IS NULL AND NOT :inlined
UNION ALL SELECT t.caller_id, c.name, t.function_id, t.name, NULLIF(SUM(t.calls), 0),
	SUM(t.inlined_calls), SUM(t.is_outermost_edge * t.total_ns),
	SUM(t.is_outermost_edge * t.cpu_ns), SUM(t.is_outermost_edge * t.ready_ns),
	SUM(t.is_outermost_edge * t.blocked_ns), SUM(t.is_outermost_edge * t.total_error_ns)
FROM tree t JOIN main.functions c ON c.function_id = t.caller_id
WHERE :function IN (t.caller_id, t.function_id) AND (:thread IS NOT NULL OR :inlined)
GROUP BY t.caller_id, t.function_id
	HAVING SUM(t.calls) <> 0 OR SUM(t.is_outermost_edge * t.total_ns) <> 0;

-- Calls without a recorded caller are mostly the roots of threads.
-- :keep roots
SELECT calls, inlined_calls, total_ns, total_error_ns, cpu_ns, ready_ns, blocked_ns
FROM call_paths WHERE run_id = :run AND function_id = :function AND parent_path_id IS NULL
	AND :thread IS NULL AND NOT :inlined
UNION ALL SELECT calls, inlined_calls, total_ns, total_error_ns, cpu_ns, ready_ns, blocked_ns
FROM tree WHERE function_id = :function AND depth = 1 AND (:thread IS NOT NULL OR :inlined);

-- Where a caller calls the function: of the lines its paths know, the one with most calls. Lines
-- are kept for all threads together.
-- :keep called
WITH line AS (SELECT q.function_id AS caller_id, p.call_file, p.call_line,
	SUM(p.calls) AS calls, MAX(p.call_lines) AS call_lines
	FROM call_paths p JOIN path o ON o.path_id = p.parent_path_id
	JOIN path q ON q.path_id = IIF(:inlined, o.path_id, IFNULL(o.host_path_id, o.path_id))
	WHERE p.run_id = :run AND p.function_id = :function AND p.call_line IS NOT NULL
	GROUP BY q.function_id, p.call_file, p.call_line),
placed AS (SELECT *, MAX(COUNT(*) OVER w, MAX(call_lines) OVER w) AS lines,
	ROW_NUMBER() OVER (PARTITION BY caller_id ORDER BY calls DESC, call_file, call_line)
	AS place FROM line WINDOW w AS (PARTITION BY caller_id))
SELECT caller_id, call_file, call_line, lines AS call_lines, REPLACE(call_file,
	RTRIM(call_file, REPLACE(call_file, '/', '')), '') || ':' || call_line
	|| IIF(lines > 1, ' and ' || (lines - 1) || ' more', '') AS called_at
FROM placed WHERE place = 1;

-- :table callers main sort rows=20 noun=caller weight=calls,the_calls = Callers
WITH row AS (SELECT caller AS name, caller_id AS function_id, calls, inlined_calls, total_ns,
	cpu_ns, ready_ns, blocked_ns, total_error_ns FROM edges WHERE callee_id = :function
UNION ALL SELECT '(uninstrumented caller)', NULL, SUM(calls), SUM(inlined_calls),
	SUM(total_ns), SUM(cpu_ns), SUM(ready_ns), SUM(blocked_ns), SUM(total_error_ns)
	FROM roots HAVING SUM(calls) > 0 OR SUM(total_ns) > 0)
SELECT IIF(m.total_ns > 0, 100.0 * r.total_ns / m.total_ns, 0.0) AS "total %:total_percent",
	r.total_ns, r.calls AS "calls!:calls", r.inlined_calls, r.ready_ns AS "CPU wait:?ready_ns",
	r.blocked_ns AS "blocked:?blocked_ns", r.name AS "function!:name",
	c.called_at AS "called at:?~called_at", r.function_id AS ".function_id",
	r.total_error_ns AS ".total_error_ns",
	IIF(m.total_ns > 0, 100.0 * IFNULL(r.total_error_ns, 0) / m.total_ns, 0.0)
	AS ".total_error_percent", r.cpu_ns AS "cpu_ns:.cpu_ns", c.call_file AS ".call_file/file",
	c.call_line AS ".call_line/id", c.call_lines AS ".call_lines/id"
FROM row r JOIN meant m LEFT JOIN called c ON c.caller_id = r.function_id
ORDER BY r.total_ns DESC NULLS LAST, r.name;

-- :values function = {name}
SELECT name AS ".name/text", function_id AS ".function_id", file AS "defined:?file/place",
	line AS "-line/id", calls AS "calls:calls", total_ns AS ".total_ns",
	self_ns AS ".self_ns", total_error_ns AS ".total_error_ns",
	self_error_ns AS ".self_error_ns", IFNULL(recording, '?') AS ".recording",
	NULLIF(recording, 'exact') AS "timed:~timed",
	'{total_ns}, self {self_ns} ({share} of '
	|| IIF(:is_split, 'CPU time', 'self time') || ')' AS "total:~total",
	IIF(all_ns > 0, 100.0 * fitted_ns / all_ns, 0.0) AS ".self_percent",
	IIF(NOT self_error_ns > 0 OR ABS(own_ns) > self_error_ns, people('percent',
	IIF(all_ns > 0, 100.0 * fitted_ns / all_ns, 0)), '<' || people('percent', IIF(all_ns > 0,
	100.0 * (fitted_ns + fitted_error(own_ns, self_error_ns, most_ns)) / all_ns, 0)))
	AS "-share/text",
	ready_ns AS ".ready_ns", blocked_ns AS ".blocked_ns",
	CASE WHEN ready_ns OR blocked_ns
	THEN 'CPU wait {ready_ns}, blocked {blocked_ns}, of the total' END AS "waits:~waits",
	alloc_count AS ".alloc_count", alloc_bytes AS ".alloc_bytes",
	CASE WHEN alloc_count THEN '{alloc_count allocation} of its own, {alloc_bytes}' END
	AS "memory:~memory"
FROM (SELECT *, fitted(own_ns, self_error_ns, most_ns) AS fitted_ns FROM (SELECT *,
	MIN(all_ns + :program_error_ns, total_ns - IIF(:is_split, ready_ns + blocked_ns, 0)
	+ total_error_ns) AS most_ns
	FROM (SELECT *, self_ns - IIF(:is_split, self_ready_ns + self_blocked_ns, 0) AS own_ns,
	1.0 * IIF(:thread IS NULL, :program_ns, (SELECT SUM(IIF(:is_split, self_cpu_ns, self_ns))
	FROM tree)) AS all_ns FROM meant)));

-- :note inlined_callers human
SELECT 'A caller with time and no calls contains inlined code that makes the calls:
	they are in the row of the inlined function.' AS text
WHERE EXISTS (SELECT 1 FROM edges WHERE callee_id = :function AND calls = 0 AND total_ns <> 0);

-- :note namesakes
SELECT '{count other function} {count|has|have} this name; this is the most called. ''#ID'' with a
	function_id chooses another.' AS text, :namesake_count AS count WHERE :namesake_count > 0;

-- :table callees sort rows=20 noun=callee weight=calls,the_calls = Callees
WITH row AS (SELECT callee AS name, callee_id AS function_id, calls, inlined_calls, total_ns,
	cpu_ns, ready_ns, blocked_ns, total_error_ns FROM edges WHERE caller_id = :function
UNION ALL SELECT '(self)', NULL, NULL, NULL, self_ns, self_ns - self_ready_ns
	- self_blocked_ns, self_ready_ns, self_blocked_ns, self_error_ns
	FROM meant WHERE self_ns <> 0)
SELECT IIF(m.total_ns > 0, 100.0 * r.total_ns / m.total_ns, 0.0) AS "total %:total_percent",
	r.total_ns, r.calls AS "calls!:calls", r.inlined_calls, r.ready_ns AS "CPU wait:?ready_ns",
	r.blocked_ns AS "blocked:?blocked_ns", r.name AS "function!:name",
	r.function_id AS ".function_id", r.total_error_ns AS ".total_error_ns",
	IIF(m.total_ns > 0, 100.0 * IFNULL(r.total_error_ns, 0) / m.total_ns, 0.0)
	AS ".total_error_percent", r.cpu_ns AS "cpu_ns:.cpu_ns"
FROM row r JOIN meant m ORDER BY r.total_ns DESC NULLS LAST, r.name;
