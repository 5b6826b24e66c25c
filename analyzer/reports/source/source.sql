-- SPDX-License-Identifier: MIT
-- Sources beside costs.

-- When the run began, to tell which files were changed since.
-- :name start
SELECT CAST((julianday(started_utc) - 2440587.5) * 86400 AS INTEGER) AS started_s
FROM run WHERE run_id = :run;
