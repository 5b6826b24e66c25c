-- SPDX-License-Identifier: MIT
-- What flame graphs read beside the call tree, the snapshots and the runs compared.

-- :name is_run
SELECT 1 FROM runs WHERE label = :word OR CAST(run_id AS TEXT) = :word;
