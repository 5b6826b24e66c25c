-- SPDX-License-Identifier: MIT
-- What the component of a function is decided by, beside the call tree.

-- :name modules
SELECT function_id, module FROM main.functions WHERE run_id = :run;
