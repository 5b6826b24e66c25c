-- SPDX-License-Identifier: MIT
-- How good the recording is for findings: a sentence in doctor and below all findings, a table for
-- machines in every list of them.
-- :part quality

-- The measurements that a finding rests on, as the bits of enum trust_touches.
-- :with touched
SELECT 1 AS bit, 'time' AS word UNION ALL SELECT 2, 'memory' UNION ALL SELECT 4, 'growth'
UNION ALL SELECT 8, 'functions without a name';

-- The first advice is that of the heaviest defect. A finding with low confidence is not also
-- listed for medium.
-- :note quality warning
WITH lowered AS (SELECT MIN(most) AS most, bit, word FROM quality JOIN touched ON touches & bit
	GROUP BY bit),
effects AS (SELECT most, 'about ' || group_concat(word, ' and ') || ' have at most '
	|| IIF(most, 'medium', 'low') || ' confidence' AS words
	FROM (SELECT * FROM lowered ORDER BY most, bit) GROUP BY most ORDER BY most)
SELECT '{said}' AS text, IIF(advice IS NULL, NULL, '{first}') AS advice, 'Quality: '
	|| (SELECT group_concat(text, '; ') FROM quality) || IFNULL('. So findings '
	|| (SELECT group_concat(words, ', ') FROM effects), '') || '.' AS "said/text",
	advice AS "first/text" FROM quality ORDER BY rowid LIMIT 1;

-- :table quality only_brief machine whole
SELECT name AS "name/text", value AS "value/mean", unit AS "unit/text", "limit" AS "limit/mean",
	IIF(touches, 'findings about ' || (SELECT group_concat(word, ' and ') FROM touched
		WHERE touches & bit) || ' have at most ' || IIF(most, 'medium', 'low')
	|| ' confidence', '') AS "effect/text", text AS "text/text", advice AS "advice/text"
FROM quality ORDER BY rowid;
