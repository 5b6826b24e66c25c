-- SPDX-License-Identifier: MIT
-- Functions whose calls take long on average. A root is the program or a thread itself.

-- Waits for a CPU are not theirs. How long a call takes that has not ended nobody knows: a
-- server's, which waits for a request. severity: 3 high, 2 medium, 1 low.
-- :name functions
WITH costs AS (SELECT f.*, f.total_ns - f.ready_ns AS served_ns,
		f.self_ns - f.self_ready_ns - f.self_blocked_ns AS own_ns,
		CAST(MAX(0, f.total_ns - f.ready_ns - f.total_error_ns) AS REAL)
			/ f.calls AS least_ns
	FROM functions f WHERE f.run_id = :run AND f.calls > 0
		AND f.function_id IN (SELECT function_id FROM path
			WHERE run_id = :run AND parent_path_id IS NOT NULL AND kind < 3)),
parts AS (SELECT c.*, COALESCE(h.ns, own_ns) AS held_ns, CASE WHEN least_ns > :high_ns THEN 3
		WHEN least_ns > :medium_ns THEN 2 ELSE 1 END AS severity
	FROM costs c LEFT JOIN held h USING (function_id)
	WHERE least_ns > :low_ns AND (NOT :is_live OR max_ns > :low_ns))
SELECT function_id, severity, CAST(served_ns AS REAL) / calls AS mean_ns,
	CAST(total_error_ns AS REAL) / calls AS mean_ns_error,
	CASE severity WHEN 3 THEN :high_ns WHEN 2 THEN :medium_ns ELSE :low_ns END AS least_mean,
	CAST(own_ns AS REAL) / served_ns AS self_part, calls, p50_ns, max_ns,
	held_ns / :run_ns AS held, held_ns AS saving_ns, 0 AS confidence
FROM parts ORDER BY own_ns DESC, function_id;
