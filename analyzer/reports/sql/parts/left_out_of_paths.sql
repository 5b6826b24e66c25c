-- SPDX-License-Identifier: MIT
-- Functions that are on no path of a comparison.
-- :part left_out_of_paths

-- :note left_out_of_paths
SELECT '{count function} (such as ''{name}'') {count|is|are} left out of the paths: not
	every run timed each call, so the paths would differ only in how they were recorded.
	{count|Its|Their} time is counted in the callers there.' AS text, MIN(number), name,
	COUNT(*) AS count
FROM compared_functions WHERE presence AND estimated HAVING COUNT(*);
