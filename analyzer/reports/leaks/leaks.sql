-- SPDX-License-Identifier: MIT
-- The texts of a function that a suppression may match.
-- :name functions
SELECT function_id, name, file, module FROM functions WHERE run_id = :run;
