-- SPDX-License-Identifier: MIT
-- What names there are.

-- :name names
SELECT DISTINCT name, full_name, linkage_name FROM functions
WHERE :run = 0 OR run_id = :run ORDER BY name;
