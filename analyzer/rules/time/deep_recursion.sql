-- SPDX-License-Identifier: MIT
-- :rule T12 deep-recursion: A very deep recursion
-- :about a call path is so deep that the stack may overflow: a risk more than a cost
-- :says recurses {deepest level} deep; the stack may overflow
-- :needs own
-- :specific 2
-- :severity at least medium
-- :limit depth = 1000 count: depth of a call path
-- :limit call_ns = 1.8 ns: cost of a call, see T2
-- :evidence deepest count, at least depth: depth of the call stack
-- :evidence activations count: activations of the function at once
-- :evidence calls count: calls of them
-- :why the stack grows with the input and ends at its limit
-- :advice use a loop with a stack of its own
-- :advice make the call the last statement, so that -O2 reuses the frame
-- :advice limit the depth and refuse deeper input
-- :speaks a call path is 1,000 deep
-- :gains the calls' cost; at least medium, as the stack may overflow
-- :unseen frame sizes

-- :unmeasured
SELECT 'no call path was recorded' WHERE NOT EXISTS (SELECT 1 FROM path WHERE run_id = :run);

-- :query
-- The function that stands on the deepest path most often, its innermost activation on it,
-- and the calls of all of them. The bound guards against a ring of parents.
WITH RECURSIVE deepest AS MATERIALIZED (SELECT path_id, depth FROM path
	WHERE run_id = :run AND depth >= :depth ORDER BY depth DESC, path_id LIMIT 1),
up AS MATERIALIZED (SELECT path_id, parent_path_id, function_id, calls, 1 AS place FROM path
	WHERE path_id = (SELECT path_id FROM deepest)
	UNION ALL
	SELECT p.path_id, p.parent_path_id, p.function_id, p.calls, place + 1
	FROM up JOIN path p ON p.path_id = up.parent_path_id
	WHERE place < (SELECT depth FROM deepest)),
most AS (SELECT function_id, COUNT(*) AS activations, SUM(calls) AS calls, MIN(place) AS place
	FROM up GROUP BY 1 ORDER BY 2 DESC, MAX(place) LIMIT 1)
SELECT up.path_id, (SELECT MAX(place) FROM up) AS deepest, activations, most.calls,
	most.calls * :call_ns AS saving_ns, 2 AS confidence
FROM most JOIN up USING (place);

-- :proof
SELECT name, MAX(depth) AS depth, COUNT(*) AS paths FROM call_paths WHERE run_id = {run} GROUP
	BY function_id ORDER BY depth DESC LIMIT 5
