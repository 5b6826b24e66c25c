-- SPDX-License-Identifier: MIT
-- What stands above findings: how far they can be trusted, and what is not among them. The tables
-- found and quality are those of ../bottlenecks/found.sql, and Q1's.
-- :part found
-- :takes run

-- :note gate brief
SELECT '{failing_count finding} of severity {fail_on}' || IIF(fail_on = 'critical', '', ' or above')
	|| ' (--fail-on {fail_on})' AS text, failing_count AS "failing_count/count", fail_on,
	IIF(failing_count, 'warning', 'good') AS level FROM found WHERE fail_on IS NOT NULL;

-- What findings rest on, as the bits of enum trust_touches.
-- :with touched
SELECT 1 AS bit, 'time' AS word UNION ALL SELECT 2, 'memory' UNION ALL SELECT 4, 'growth'
UNION ALL SELECT 8, 'functions without a name';

-- The advice of what weighs most is what to do first. What has low confidence need not be told to
-- have medium at most.
-- :note quality brief warning
WITH lowered AS (SELECT MIN(most) AS most, bit, word FROM quality JOIN touched ON touches & bit
	GROUP BY bit),
effects AS (SELECT most, 'about ' || group_concat(word, ' and ') || ' have at most '
	|| IIF(most, 'medium', 'low') || ' confidence' AS words
	FROM (SELECT * FROM lowered ORDER BY most, bit) GROUP BY most ORDER BY most)
SELECT '{said}' AS text, IIF(advice IS NULL, NULL, '{first}') AS advice, 'Quality: '
	|| (SELECT group_concat(text, '; ') FROM quality) || IFNULL('. So findings '
	|| (SELECT group_concat(words, ', ') FROM effects), '') || '.' AS "said/text",
	advice AS "first/text" FROM quality ORDER BY rowid LIMIT 1;

-- :table quality brief machine whole
SELECT name AS "name/text", value AS "value/mean", unit AS "unit/text", "limit" AS "limit/mean",
	IIF(touches, 'findings about ' || (SELECT group_concat(word, ' and ') FROM touched
		WHERE touches & bit) || ' have at most ' || IIF(most, 'medium', 'low')
	|| ' confidence', '') AS "effect/text", text AS "text/text", advice AS "advice/text"
FROM quality ORDER BY rowid;

-- Who reads that nothing was found must not take these for fast.
-- :note not_judged brief warning
SELECT 'Not judged by rules about time: {unjudged}. How often they were called is exact.' AS text,
	'A longer run has more samples; ''prof-analyze doctor'' says what keeps them away. A build with
	fewer hooks needs fewer: ''prof-analyze exclude-list'' says which and how.' AS advice, unjudged
FROM found WHERE unjudged IS NOT NULL;

-- :note filtered_findings brief
SELECT '{count finding} about something else {count|is|are} left out (--focus, --ignore).' AS text,
	left_out_count AS "count/count" FROM found WHERE left_out_count;

-- :note no_findings brief good human
SELECT CASE WHEN count THEN 'Nothing found that would be worth a fix; {count finding} of severity info:
	''prof-analyze bottlenecks --limit 0'' shows all.'
	WHEN EXISTS (SELECT 1 FROM suppressed_findings WHERE finding_count) THEN 'Nothing found that is not suppressed.'
	ELSE 'Nothing found: no limit was crossed where there was data.' END
	|| IIF(:unknown_count + :counted_count AND unjudged IS NULL,
	' Rules about time had no data of {unknown function} whose times are not known.', '') AS text,
	count AS "count/count", :unknown_count + :counted_count AS "unknown/count"
FROM found WHERE NOT shown_count AND (count OR NOT left_out_count);
