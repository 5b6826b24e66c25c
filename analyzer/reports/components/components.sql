-- SPDX-License-Identifier: MIT
-- What the component of a function is decided by.

-- :name functions
SELECT function_id, name, module, file, component FROM functions WHERE run_id = :run;
