-- SPDX-License-Identifier: MIT
-- Where the time of the threads went: computing, ready, blocked, the hooks, and the calls of
-- libc that they slept in most. The clocks of threads hold the program and the hooks together.
-- :part where

-- Nothing that was not measured.
-- :end
SELECT 1 WHERE NOT :is_split OR :cpu_ns + :ready_ns + :blocked_ns <= 0;

-- :keep divided
SELECT *, :cpu_ns - hooks_ns AS program_ns FROM (SELECT
	1.0 * :cpu_ns + :ready_ns + :blocked_ns AS all_ns,
	CASE WHEN :has_hooks AND NOT :raw THEN MIN(MAX(:hooks_ns, 0), 1.0 * :cpu_ns) ELSE 0.0 END
	AS hooks_ns,
	CASE WHEN :has_hooks AND NOT :raw THEN MIN(:hooks_error_ns, 1.0 * :cpu_ns) ELSE 0.0 END
	AS error_ns);

-- :keep slept
SELECT f.name, CASE p.kind WHEN 3 THEN 'wait' ELSE 'io' END AS kind, SUM(p.calls) AS calls,
	SUM(p.self_blocked_ns) AS blocked_ns, 100.0 * SUM(p.self_blocked_ns)
	/ (SELECT all_ns FROM divided) AS blocked_percent
FROM path p JOIN function f USING (function_id)
WHERE p.run_id = :run AND p.kind >= 3 AND p.self_blocked_ns > 0
GROUP BY f.name, p.kind ORDER BY blocked_ns DESC, f.name LIMIT 3;

-- A bar of 60: each part ends where it and those before it end together.
-- :values where brief parts
WITH ends AS (SELECT *, MAX(0, MIN(60, CAST(60 * program_ns / all_ns + 0.5 AS INTEGER))) AS a,
	MAX(0, MIN(60, CAST(60 * (program_ns + :ready_ns) / all_ns + 0.5 AS INTEGER))) AS b,
	MAX(0, MIN(60, CAST(60 * (all_ns - hooks_ns) / all_ns + 0.5 AS INTEGER))) AS c
	FROM divided)
SELECT substr(replace(printf('%60s', ''), ' ', '#'), 1, a)
	|| substr(replace(printf('%60s', ''), ' ', '='), 1, b - a)
	|| substr(replace(printf('%60s', ''), ' ', '.'), 1, c - MAX(a, b))
	|| substr(replace(printf('%60s', ''), ' ', '+'), 1, 60 - MAX(a, b, c))
	AS "threads:~bar",
	'# computing {program_percent}, = ready {ready_percent}, . blocked {blocked_percent}{slept}'
	|| CASE WHEN hooks_ns > 0 THEN ', + hooks {hooks_percent}' ELSE '' END AS ":~shares",
	MIN(100, 100 * program_ns / all_ns) AS "-program_percent",
	MIN(100, 100 * error_ns / all_ns) AS "-program_error_percent",
	100.0 * :ready_ns / all_ns AS "-ready_percent",
	100.0 * :blocked_ns / all_ns AS "-blocked_percent",
	MIN(100, 100 * hooks_ns / all_ns) AS "-hooks_percent",
	MIN(100, 100 * error_ns / all_ns) AS "-hooks_error_percent",
	-- of less nobody wants to know what it was
	IFNULL((SELECT ' (' || group_concat(name || ' ' || people('percent', blocked_percent), ', ')
	|| ')' FROM slept WHERE blocked_percent >= 0.5), '') AS "-slept/text",
	:cpu_ns AS ":.cpu_ns", CAST(program_ns AS INTEGER) AS "computing:.program_ns",
	:ready_ns AS "ready, waiting for a CPU:.ready_ns", :blocked_ns AS "blocked:.blocked_ns",
	CASE WHEN hooks_ns > 0 THEN CAST(hooks_ns AS INTEGER) END
	AS "hooks, not the program:.?hooks_ns",
	CASE WHEN hooks_ns > 0 THEN CAST(error_ns AS INTEGER) END AS ".?program_error_ns",
	CASE WHEN hooks_ns > 0 THEN CAST(error_ns AS INTEGER) END AS ".?hooks_error_ns"
FROM ends;

-- :table blocked_on brief machine page whole = What they slept in
SELECT name AS "call!:name", kind AS ".kind", calls AS "calls!:calls",
	blocked_ns AS "blocked!:blocked_ns/ns", blocked_percent AS "blocked %!:blocked_percent"
FROM slept ORDER BY blocked_ns DESC, name;
