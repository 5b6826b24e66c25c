-- SPDX-License-Identifier: MIT
-- The function with most time of its own: where a run without CPU time stood still.

-- :name largest
SELECT function_id, self_ns FROM functions WHERE run_id = :run
ORDER BY self_ns DESC, function_id LIMIT 1;
