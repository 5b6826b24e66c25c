-- SPDX-License-Identifier: MIT
-- What a suppression may match of a function.
-- :name functions
SELECT function_id, name, file, module FROM functions WHERE run_id = :run;
