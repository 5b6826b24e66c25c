-- SPDX-License-Identifier: MIT
-- Who slept in which call of libc, or in code of its own.

-- The thread that a process begins and ends with is the one that the run waits for: first.
-- A run with one lane has no path_lane. Steps are those of W3's limits; the others have
-- none. A wait for other threads or processes of the program, or for whoever has work for
-- it, is no defect by itself: W1 asks for own_ns.
-- :name waits
WITH first AS (SELECT DISTINCT t.lane_id FROM thread t JOIN process p USING (process_id)
		WHERE t.run_id = :run AND t.tid = p.pid),
spent AS (SELECT s.path_id, s.calls, s.self_blocked_ns AS blocked_ns,
		s.lane_id IN first AS is_first
	FROM path p JOIN path_lane s USING (path_id)
	WHERE p.run_id = :run AND s.self_blocked_ns > 0
	UNION ALL
	SELECT p.path_id, p.calls, p.self_blocked_ns, 1 FROM path p
	WHERE p.run_id = :run AND p.self_blocked_ns > 0
		AND NOT EXISTS (SELECT 1 FROM path_lane s WHERE s.path_id = p.path_id)),
waits AS (SELECT COALESCE(c.path_id, p.path_id) AS path_id,
		COALESCE(c.function_id, p.function_id) AS function_id,
		CASE WHEN p.kind >= 3 THEN f.name END AS callee,
		SUM(s.calls) AS calls, SUM(s.blocked_ns) AS blocked_ns,
		SUM(s.calls * s.is_first) AS first_calls,
		SUM(s.blocked_ns * s.is_first) AS first_ns,
		MIN(MAX(CASE WHEN p.kind >= 3 THEN p.max_ns
			WHEN s.calls <= 1 THEN s.blocked_ns END), SUM(s.blocked_ns))
			AS longest_ns, p.path_id IN piped AS is_piped, MAX(s.blocked_ns)
	FROM spent s JOIN path p USING (path_id) JOIN function f USING (function_id)
	LEFT JOIN path c ON p.kind >= 3 AND c.path_id = p.parent_path_id
	GROUP BY 2, 3, is_piped),
judged AS (SELECT w.*, CASE WHEN is_piped THEN 'child'
		ELSE COALESCE(libc_purpose(callee), 'unknown') END AS purpose,
		CASE WHEN first_ns >= :least_ns * first_calls THEN first_ns
			WHEN longest_ns >= :least_ns THEN MIN(longest_ns, first_ns) END
			AS long_ns
	FROM waits w)
SELECT j.path_id, j.function_id, j.callee, j.calls, j.blocked_ns, j.first_calls, j.first_ns,
	NULLIF(j.longest_ns, 0) AS longest_ns, j.blocked_ns / j.calls AS mean_ns,
	j.blocked_ns / :run_ns AS blocked_part,
	CASE WHEN purpose IN ('lock', 'peer', 'condition', 'thread', 'child', 'event')
		OR (callee IS NULL AND (SELECT COUNT(*) > 1 FROM lane WHERE run_id = :run))
		THEN NULL ELSE long_ns END AS own_ns, j.long_ns / :run_ns AS long_part,
	purpose = 'sleep' AS is_sleep, CASE purpose WHEN 'sleep' THEN j.calls END AS sleeps,
	CASE purpose WHEN 'sleep' THEN CAST(j.first_calls AS REAL) / t.timed_count END
		AS by_step,
	CAST(j.first_ns AS REAL) / MAX(1, t.total_ns - IFNULL(t.ready_ns, 0)) AS step_part,
	t.timed_count AS steps, t.name AS step,
	CASE WHEN :by_step > 0 THEN j.first_ns WHEN :assumed_gain > 0
		THEN :assumed_gain * j.first_ns ELSE long_ns END AS saving_ns,
	CASE WHEN :least_ns > 0 AND callee IS NOT NULL THEN 2 ELSE 1 END AS confidence,
	CASE WHEN callee IS NULL THEN 'asleep, in a call that is not recorded by its name'
		ELSE 'in ' || callee || '(), asleep' END AS place,
	CASE purpose WHEN 'sleep' THEN 'wait for what should happen instead of for a time'
		ELSE 'start it earlier, or on another thread, and go on with what does not '
			|| 'need its result' END AS remedy
FROM judged j LEFT JOIN step_totals t ON :by_step > 0 AND t.run_id = :run
	AND t.process_id IS NULL AND t.timed_count >= :least_steps
ORDER BY j.blocked_ns DESC, j.function_id, j.callee;
