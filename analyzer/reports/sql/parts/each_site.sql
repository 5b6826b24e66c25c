-- SPDX-License-Identifier: MIT
-- Allocation sites by path, each with its owner: the innermost function on the path that is
-- neither a library's nor an allocator wrapper (docs/memory.md), and the line in it. If the line
-- is not known, the function's definition stands in.
-- :part each_site

-- For one thread only the sites at which it allocated. A run with one lane has no path_lane.
-- :with each_site
WITH owned AS (SELECT *, IFNULL(asker(path_id, 'name'), name) AS owner,
	asker(path_id, 'file') AS owner_file, asker(path_id, 'calls') AS is_wrapped
	FROM allocation_sites s WHERE run_id = :run AND is_chosen(path_id)
	AND (:thread IS NULL OR EXISTS (SELECT 1 FROM path_lane l JOIN thread t USING (lane_id)
		WHERE l.path_id = s.path_id AND l.alloc_count > 0
		AND (t.name = :thread OR CAST(t.tid AS TEXT) = :thread))
		OR (SELECT COUNT(*) FROM lane WHERE run_id = :run) <= 1
		AND (SELECT alloc_count FROM path p WHERE p.path_id = s.path_id) > 0)),
called AS (SELECT *, IIF(is_wrapped, IIF(is_wrapped = 1 AND call_line IS NOT NULL, call_file,
	asker(path_id, 'call_file')), file) AS called_file FROM owned)
SELECT *, IFNULL(called_file, owner_file) AS asked_file,
	CASE WHEN called_file IS NULL THEN IIF(owner_file IS NULL, NULL, asker(path_id, 'line'))
	WHEN is_wrapped = 1 AND call_line IS NOT NULL THEN call_line
	WHEN is_wrapped THEN asker(path_id, 'call_line') ELSE line END AS asked_line,
	CASE WHEN called_file IS NOT NULL THEN 'call' WHEN owner_file IS NOT NULL
	THEN 'function' END AS line_of
FROM called;
