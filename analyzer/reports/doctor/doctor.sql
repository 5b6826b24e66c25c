-- SPDX-License-Identifier: MIT
-- What explains an empty or partial recording, besides trust.

-- Files with functions that have no name, most of them first.
-- :name modules
SELECT m.path, m.trouble, SUM(f.naming = 'none') AS nameless_count,
	SUM(f.naming = 'near') AS near_count
FROM function f LEFT JOIN module m USING (module_id)
WHERE f.run_id = :run AND f.naming IN ('none', 'near')
GROUP BY f.module_id ORDER BY SUM(f.naming = 'none') DESC, COUNT(*) DESC, m.path;

-- :name executables
SELECT executable FROM processes WHERE run_id = :run AND executable IS NOT NULL
GROUP BY executable ORDER BY MIN(process_id);
