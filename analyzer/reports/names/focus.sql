-- SPDX-License-Identifier: MIT
-- All names that a pattern may match.

-- :name names
SELECT DISTINCT name, full_name, linkage_name FROM functions
WHERE :run = 0 OR run_id = :run ORDER BY name;
