-- SPDX-License-Identifier: MIT
-- The functions that a word may mean.

-- :name functions
SELECT function_id, name, full_name, linkage_name
FROM main.functions WHERE run_id = :run ORDER BY calls DESC, name, function_id;
