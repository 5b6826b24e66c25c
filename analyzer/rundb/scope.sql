-- SPDX-License-Identifier: MIT
-- What is limited to a run. A file made by others may have any number of views.

-- :name views
SELECT name FROM main.sqlite_master
WHERE (type = 'view' OR type = 'table' AND name = 'trust')
ORDER BY name LIMIT 100;
