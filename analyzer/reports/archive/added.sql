-- SPDX-License-Identifier: MIT
-- What the command archive asks besides analyzer/reports/sql/archive.sql.

-- Of a recording: runs that are whole.
-- :name runs
SELECT run_id FROM run ORDER BY run_id;

-- :name added
SELECT 0 AS run_id, 0 AS is_new WHERE 0;
