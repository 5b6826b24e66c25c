-- SPDX-License-Identifier: MIT
-- What flame graphs read beside the call tree, the snapshots and the runs compared.

-- :name held
SELECT path_id, live_bytes, peak_bytes FROM call_paths WHERE run_id = :run;

-- :name is_run
SELECT 1 FROM runs WHERE label = :word OR CAST(run_id AS TEXT) = :word;
