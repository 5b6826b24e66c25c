-- SPDX-License-Identifier: MIT
-- What stands above findings: how far they can be trusted, and what is not among them. The tables
-- found and quality are those of ../bottlenecks/found.sql, and Q1's.
-- :part found
-- :takes run

-- :note gate brief
SELECT '{failing_count finding} of severity {fail_on}' || IIF(fail_on = 'critical', '', ' or above')
	|| ' (--fail-on {fail_on})' AS text, failing_count AS "failing_count/count", fail_on,
	IIF(failing_count, 'warning', 'good') AS level FROM found WHERE fail_on IS NOT NULL;

-- :include quality

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

-- Who reads that nothing was found must not take these for fast.
-- :note not_judged brief warning tight
SELECT 'Timing rules skipped: {unjudged}.' AS text, unjudged FROM found WHERE unjudged IS NOT NULL;
