-- SPDX-License-Identifier: MIT
-- The report's line that points to the command `why`: what was slow now and then. Studied calls
-- know it best; without any, spans tell which function is worth a study.
-- :part rare

-- Calls of 0.1 ms or more that take eight times the median, at most one in fifty of all; waits
-- for a CPU are left out.
-- :keep slow
WITH own AS (SELECT c.study_id, c.is_slow, c.duration_ns - c.ready_ns AS own_ns
	FROM study_cases c WHERE c.run_id = :run),
middle AS (SELECT study_id, own_ns FROM (
		SELECT study_id, own_ns, COUNT(*) OVER (PARTITION BY study_id) AS count,
		ROW_NUMBER() OVER (PARTITION BY study_id ORDER BY own_ns) AS place
		FROM own WHERE NOT is_slow)
	WHERE place = (count + 1) / 2),
long AS (SELECT function_id, call_ns - IFNULL(ready_ns, 0) AS own_ns FROM spans
	WHERE run_id = :run AND kind IN ('function', 'region') AND ended <> 'open'),
studied AS (SELECT 1 AS is_studied, s.name, s.kind, s.calls, COUNT(*) AS slow_count,
	MIN(o.own_ns) AS least_ns, MAX(o.own_ns) AS longest_ns
	FROM studies s JOIN own o USING (study_id) JOIN middle m USING (study_id)
	WHERE s.run_id = :run AND o.is_slow AND o.own_ns >= 100000 AND o.own_ns >= 8 * m.own_ns
	GROUP BY s.study_id HAVING slow_count * 50 <= s.calls
	ORDER BY SUM(o.own_ns) DESC, s.study_id LIMIT 1),
seen AS (SELECT 0, f.name, 'call', f.calls, COUNT(*) AS slow_count, MIN(o.own_ns),
	MAX(o.own_ns)
	FROM long o JOIN functions f ON f.run_id = :run AND f.function_id = o.function_id
	WHERE f.p50_ns > 0 AND o.own_ns >= 100000 AND o.own_ns >= 8 * f.p50_ns
	GROUP BY o.function_id HAVING slow_count >= 2 AND slow_count * 50 <= f.calls
	ORDER BY SUM(o.own_ns) DESC, o.function_id LIMIT 1)
SELECT * FROM studied UNION ALL SELECT * FROM seen WHERE NOT EXISTS (SELECT 1 FROM studied);

-- :values rare_slow_calls brief
SELECT '{short}: {slow_count ' || kind || '}, ' || IIF(people('ns', least_ns) =
	people('ns', longest_ns), '', '{least_ns} to ') || '{longest_ns}; see '
	|| IIF(is_studied, '''prof-analyze why''', '''prof-record --why''') AS "rare slow calls:~text",
	short_name(name) AS "-short/text", name AS ".name", kind AS ".kind",
	is_studied AS ".is_studied/flag", calls AS ".calls", slow_count AS ".slow_count",
	least_ns AS ".least_ns", longest_ns AS ".longest_ns"
FROM slow WHERE name IS NOT NULL;
