-- SPDX-License-Identifier: MIT
-- Views that hide those of the file. A table made by others may have any number.

-- :name views
SELECT name FROM main.sqlite_master
WHERE (type = 'view' OR type = 'table' AND name = 'trust')
ORDER BY name LIMIT 100;

-- The columns of a table or view, with what the hooks saw instead of what was built.
-- :name hooked
SELECT GROUP_CONCAT(CASE WHEN EXISTS (SELECT 1 FROM pragma_table_info(:table) h
	WHERE h.name = 'hooked_' || c.name) THEN 'hooked_' || c.name || ' AS ' ELSE '' END
	|| c.name, ', ') AS names FROM pragma_table_info(:table) c;
