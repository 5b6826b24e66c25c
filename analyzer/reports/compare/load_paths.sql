-- SPDX-License-Identifier: MIT
-- Call paths and allocation sites of a run that is compared, one ordered query each.

-- :name paths
SELECT * FROM path WHERE run_id = :run ORDER BY path_id;

-- :name sites
SELECT path_id, file, line, alloc_count, alloc_bytes, live_bytes, at_peak_bytes
FROM site WHERE run_id = :run ORDER BY site_id;
