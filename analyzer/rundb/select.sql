-- SPDX-License-Identifier: MIT
-- Finds the run that the user means.

-- :name latest
SELECT run_id FROM runs ORDER BY run_id DESC LIMIT 1;

-- :name by_id
SELECT run_id FROM runs WHERE run_id = :wanted;

-- :name by_label
SELECT run_id FROM runs WHERE label = :wanted ORDER BY run_id DESC LIMIT 1;

-- :name choices
SELECT run_id, label FROM runs ORDER BY run_id DESC;

-- :name behind
SELECT 1 FROM storing WHERE token = :token AND run_id < (SELECT MAX(run_id) FROM runs);
