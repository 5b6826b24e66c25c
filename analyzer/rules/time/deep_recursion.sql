-- SPDX-License-Identifier: MIT
-- :rule T12 deep-recursion: Very deep recursion
-- :about a call path is so deep that the stack may overflow: a risk more than a cost
-- :needs own
-- :specific 2
-- :severity at least medium
-- :limit depth = 1000 count: depth of a call path
-- :limit call_ns = 1.8 ns: cost of a call, see T2
-- :evidence deepest count, at least depth: depth of the call stack
-- :evidence activations count: activations of the function at once
-- :evidence calls count: calls on such paths
-- :why the stack grows with the input and ends at its limit
-- :advice {loop}
-- :advice {last}
-- :advice limit the depth and refuse deeper input
-- :speaks a call path is 1,000 deep
-- :gains the calls' cost; at least medium, as the stack may overflow
-- :unseen frame sizes

-- :unmeasured
SELECT 'no call path was recorded' WHERE NOT EXISTS (SELECT 1 FROM path WHERE run_id = :run);

-- :query
-- The function that is on the deepest path most often, its innermost activation, and the calls
-- of all its activations; all its calls if those of paths are estimated. A library's recursion
-- is reported for its caller. The bound guards against a ring of parents.
WITH RECURSIVE deepest AS MATERIALIZED (SELECT path_id, depth FROM path
	WHERE run_id = :run AND depth >= :depth ORDER BY depth DESC, path_id LIMIT 1),
up AS MATERIALIZED (SELECT path_id, parent_path_id, function_id, calls, recording, 1 AS place FROM path
	WHERE path_id = (SELECT path_id FROM deepest)
	UNION ALL
	SELECT p.path_id, p.parent_path_id, p.function_id, p.calls, p.recording, place + 1
	FROM up JOIN path p ON p.path_id = up.parent_path_id
	WHERE place < (SELECT depth FROM deepest)),
most AS (SELECT function_id, COUNT(*) AS activations, IIF(MAX(up.recording), f.calls,
		SUM(up.calls)) AS calls, MIN(place) AS place, f.is_library, f.name
	FROM up JOIN function f USING (function_id) GROUP BY 1 ORDER BY 2 DESC, MAX(place) LIMIT 1)
SELECT IFNULL(l.owner_id, up.path_id) AS path_id, (SELECT MAX(place) FROM up) AS deepest, activations, most.calls,
	most.calls * :call_ns AS saving_ns, 2 AS confidence,
	IIF(is_library, 'calls {name}, which ', '') || 'recurses {deepest level} deep; the stack may '
	|| 'overflow' AS says, short_name(40, bare_name(name)) AS name,
	IIF(is_library, '', 'use a loop with a stack of its own') AS loop,
	IIF(is_library, '', 'make the call the last statement, so that -O2 reuses the frame') AS last
FROM most JOIN up USING (place) LEFT JOIN lent l ON l.path_id = up.path_id;

-- :proof
SELECT name, MAX(depth) AS depth, COUNT(*) AS paths FROM call_paths WHERE run_id = {run} GROUP
	BY function_id ORDER BY depth DESC LIMIT 5
