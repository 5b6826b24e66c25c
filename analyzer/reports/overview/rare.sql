-- SPDX-License-Identifier: MIT
-- Rare slow calls: 0.1 ms or longer, eight times as long as half of all, one in fifty or less;
-- what they waited for a CPU left out.

-- :name studied
WITH own AS (
	SELECT c.study_id, c.is_slow, c.duration_ns - c.ready_ns AS own_ns
	FROM study_cases c WHERE c.run_id = :run),
middle AS (
	SELECT study_id, own_ns FROM (
		SELECT study_id, own_ns, COUNT(*) OVER (PARTITION BY study_id) AS count,
		ROW_NUMBER() OVER (PARTITION BY study_id ORDER BY own_ns) AS place
		FROM own WHERE NOT is_slow)
	WHERE place = (count + 1) / 2)
SELECT s.name, s.kind, s.calls, COUNT(*) AS slow_count, MIN(o.own_ns) AS least_ns,
	MAX(o.own_ns) AS longest_ns
FROM studies s JOIN own o USING (study_id) JOIN middle m USING (study_id)
WHERE s.run_id = :run AND o.is_slow AND o.own_ns >= 100000 AND o.own_ns >= 8 * m.own_ns
GROUP BY s.study_id HAVING slow_count * 50 <= s.calls
ORDER BY SUM(o.own_ns) DESC, s.study_id LIMIT 1;

-- :name spans
WITH own AS (
	SELECT function_id, call_ns - IFNULL(ready_ns, 0) AS own_ns FROM spans
	WHERE run_id = :run AND kind IN ('function', 'region') AND ended <> 'open')
SELECT f.name, 'call' AS kind, f.calls, COUNT(*) AS slow_count, MIN(o.own_ns) AS least_ns,
	MAX(o.own_ns) AS longest_ns
FROM own o JOIN functions f ON f.run_id = :run AND f.function_id = o.function_id
WHERE f.p50_ns > 0 AND o.own_ns >= 100000 AND o.own_ns >= 8 * f.p50_ns
GROUP BY o.function_id HAVING slow_count >= 2 AND slow_count * 50 <= f.calls
ORDER BY SUM(o.own_ns) DESC, o.function_id LIMIT 1;
