-- SPDX-License-Identifier: MIT
-- Functions, flat.

-- :name all
SELECT * FROM functions
WHERE run_id = :run AND (calls > 0 OR alloc_count > 0);
