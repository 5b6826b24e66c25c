-- SPDX-License-Identifier: MIT
-- Whether two sides can be compared, for a picture.
-- :part comparable

-- :include obstacles

-- :note obstacles warning
SELECT note, text, advice FROM obstacles ORDER BY turn, place;

-- :note comparable
SELECT 'good' AS level, 'comparable: same command, machine and level; complete, nothing lost'
	AS text WHERE NOT EXISTS (SELECT 1 FROM obstacles)
UNION ALL SELECT 'plain', 'Counts and times can be compared all the same.' FROM not_comparable
WHERE EXISTS (SELECT 1 FROM obstacles) AND "all" IS NULL AND times IS NULL;
