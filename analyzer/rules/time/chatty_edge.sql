-- SPDX-License-Identifier: MIT
-- :rule T3 chatty-edge: One call of the caller makes many calls of this function
-- :about each call of a function calls another one hundreds of times, for a large share
-- of its time
-- :says called {about}{per_call} times by each call of {caller}, {held} of the run
-- :needs calls wall time
-- :specific 2
-- :limit calls_per_call = 100 ratio: calls of the callee for each call of its caller
-- :limit least_caller_calls = 100 count: calls of the caller: a loop in main(), or in an
-- interpreter that is entered a few times, is not chatty
-- :limit tiny_ns = 100 ns: time per call up to which T2 judges instead, unless samples tell it
-- :limit tiny_hooks = 3 ratio: the same in costs of a hook pair; the larger limit counts
-- :limit caller_share = 0.3 ratio, at most 1: share of the caller's time that the callee
-- must take
-- :limit run_share = 0.05 ratio, at most 1: share of the run that it must take
-- :limit weight = 0.5 ratio, at most 1: part of the gain that counts towards the severity
-- :evidence per_call ratio, at least calls_per_call: calls for each call of its caller
-- :evidence of_caller percent, at least caller_share: share of its caller's time
-- :evidence held percent, at least run_share: share of the run
-- :evidence calls count: calls
-- :evidence call_ns ns: time per call
-- :evidence caller_calls count: calls of its caller
-- :asks caller_calls at least least_caller_calls
-- :asks least_of_caller at least caller_share
-- :asks least_held at least run_share
-- :advice request many at once, with one call
-- :advice cache the answers
-- :advice move the loop into the function, so that set-up is done once
-- :speaks at least 100 calls for each of 100 or more calls of the caller, 30 % of its time and
-- 5 % of the run
-- :gains all of it
-- :unseen whether the calls ask for the same thing

-- :query
-- The caller is the nearest function above, past regions and library code around the call: a
-- region is no call. Of threads side by side the longest counts (held_ns). How often a path
-- was taken is estimated if calls were only counted (recording); the edge's calls are exact. Times
-- that samples tell (4) do not depend on hooks, however short the calls are.
WITH RECURSIVE often AS (SELECT path_id, parent_path_id, function_id, calls, recording, total_error_ns,
		CAST(total_ns - ready_ns AS REAL) AS ns,
		CAST(total_ns - ready_ns - MAX(0, total_error_ns) AS REAL) AS least_ns
	FROM path WHERE run_id = :run AND kind = 0 AND parent_path_id IS NOT NULL
		AND function_id NOT IN (SELECT function_id FROM function WHERE run_id = :run AND is_library)
		AND calls >= :calls_per_call * :least_caller_calls
		AND total_ns - ready_ns - MAX(0, total_error_ns) >= :run_share * :run_ns
		AND total_ns - ready_ns - MAX(0, total_error_ns)
			> IIF(recording = 4, 0, MAX(:tiny_ns, :tiny_hooks * :hook_ns) * calls)),
around AS (SELECT path_id AS below_id, parent_path_id AS path_id FROM often
	UNION ALL SELECT a.below_id, p.parent_path_id FROM around a JOIN path p USING (path_id)
	JOIN function f USING (function_id)
	WHERE (p.kind = 2 OR f.is_library) AND p.parent_path_id IS NOT NULL),
held AS (SELECT path_id, SUM(ns) AS ns FROM (
		SELECT s.path_id, l.process_id, MAX(s.total_ns - s.ready_ns) AS ns
		FROM path_lane s JOIN lane l USING (lane_id)
		WHERE s.path_id IN (SELECT path_id FROM often) GROUP BY 1, 2)
	GROUP BY 1),
edges AS (SELECT o.*, c.path_id AS caller_id, f.name AS caller,
		IIF(o.recording + c.recording, IFNULL(e.calls, o.calls), o.calls) AS edge_calls,
		IIF(o.recording + c.recording AND e.calls IS NOT NULL, f.calls, c.calls) AS caller_calls,
		IIF(o.recording + c.recording AND e.calls IS NULL, 'about ', '') AS about,
		c.total_ns - c.ready_ns AS caller_ns, COALESCE(h.ns, o.ns) AS held_ns
	FROM often o JOIN around a ON a.below_id = o.path_id
	JOIN path c ON c.path_id = a.path_id AND c.kind = 0
	JOIN function f ON f.function_id = c.function_id AND NOT f.is_library
	LEFT JOIN edge e ON e.run_id = :run AND e.caller_id = c.function_id
		AND e.callee_id = o.function_id
	LEFT JOIN held h ON h.path_id = o.path_id
	WHERE c.function_id <> o.function_id AND c.calls > 0)
SELECT path_id, caller_id, caller, calls, caller_calls, ns / calls AS call_ns,
	CAST(total_error_ns AS REAL) / calls AS call_ns_error,
	CAST(edge_calls AS REAL) / caller_calls AS per_call, about, ns / MAX(1, caller_ns) AS of_caller,
	least_ns / MAX(1, caller_ns) AS least_of_caller, held_ns / :run_ns AS held,
	held_ns * least_ns / ns / :run_ns AS least_held,
	held_ns AS saving_ns,
	'each call of {caller} calls it {about}' || printf('%.0f', CAST(edge_calls AS REAL) / caller_calls)
		|| ' times on average' AS why
FROM edges ORDER BY path_id;

-- :proof
SELECT a.name AS caller, a.calls AS caller_calls, b.name AS callee, b.calls, CAST(b.calls AS
	REAL) / a.calls AS calls_per_call, b.total_ns, CAST(b.total_ns AS REAL) / a.total_ns AS
	share_of_caller FROM call_paths b JOIN call_paths a ON a.path_id = {caller_id} WHERE b.run_id
	= {run} AND b.path_id = {path_id}
