-- SPDX-License-Identifier: MIT
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, count INTEGER, share REAL);
BEGIN;
INSERT INTO item WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
	WHERE i < 5000) SELECT i, 'name ' || (i * 7919 % 1000), i * 31 % 97, i / 7.0 FROM n;
COMMIT;
CREATE INDEX item_name ON item(name);
SELECT name, SUM(count), COUNT(*) FROM item GROUP BY name ORDER BY 2 DESC, 1 LIMIT 5;
UPDATE item SET share = share * 2 WHERE count > 50;
DELETE FROM item WHERE id % 3 = 0;
SELECT COUNT(*), ROUND(SUM(share), 3), MAX(name) FROM item;
SELECT a.id, b.id FROM item a JOIN item b ON a.name = b.name AND a.id < b.id ORDER BY 1, 2
	LIMIT 3;
SELECT missing FROM item;
