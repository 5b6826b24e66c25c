-- SPDX-License-Identifier: MIT
CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR(40), count INTEGER);
INSERT INTO item SELECT i, 'name ' || (i * 7919 % 1000), i * 31 % 97
	FROM generate_series(1, 20000) AS s(i);
CREATE INDEX item_name ON item(name);
ANALYZE item;
SELECT name, SUM(count), COUNT(*) FROM item GROUP BY name ORDER BY 2 DESC, 1 LIMIT 5;
SELECT COUNT(*) FROM item a JOIN item b ON a.name = b.name;
SELECT md5(string_agg(name, ',' ORDER BY id)) FROM item;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT COUNT(DISTINCT name), AVG(count)::numeric(10, 4) FROM item;
SELECT missing FROM item;
