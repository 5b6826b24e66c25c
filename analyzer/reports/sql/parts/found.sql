-- SPDX-License-Identifier: MIT
-- What stands above findings: how far they can be trusted, and what is missing from them. The
-- table found is that of ../bottlenecks/found.sql; the rule Q1 fills quality.
-- :part found
-- :takes run

-- :note gate brief
SELECT '{failing_count finding} of severity {fail_on}' || IIF(fail_on = 'critical', '', ' or above')
	|| ' (--fail-on {fail_on})' AS text, failing_count AS "failing_count/count", fail_on,
	IIF(failing_count, 'warning', 'good') AS level FROM found WHERE fail_on IS NOT NULL;

-- :include quality

-- :note filtered_findings brief
SELECT '{count finding} {count|is|are} left out by --focus or --ignore.' AS text,
	left_out_count AS "count/count" FROM found WHERE left_out_count;

-- :note critical_bound brief human tight
SELECT 'Threads wait for one another: computing faster in {name} saves at most {most_percent} of the wall time.'
	AS text, name, 100 * part AS most_percent FROM critical_bound
WHERE part BETWEEN 0.05 AND 0.95 AND NOT :is_filtered;

-- Where the program computes most. This is not the same as a finding of low severity.
-- :with hottest
SELECT f.name, 1.0 * f.self_cpu_ns / :program_ns AS part, (SELECT c.name FROM path p
	JOIN path u ON u.path_id = p.parent_path_id JOIN function c ON c.function_id = u.function_id
	WHERE p.run_id = :run AND p.function_id = f.function_id
	ORDER BY p.self_ns DESC, p.path_id LIMIT 1) AS caller
FROM functions f WHERE f.run_id = :run AND NOT f.is_library AND f.self_cpu_ns > f.self_error_ns
ORDER BY f.self_cpu_ns DESC, f.function_id LIMIT 1

-- :note nothing_stands_out brief human tight
SELECT 'Nothing stands out. The hottest function is {name}' || IIF(caller IS NULL, '',
	', called by {caller}') || ': {share_percent} of the CPU.' AS text,
	name, caller AS "caller/name", 100 * MIN(1, part) AS share_percent
FROM found JOIN hottest WHERE worst <= 1 AND NOT :is_filtered AND :program_ns > 0 AND :is_split;

-- :note no_findings brief good human
SELECT CASE WHEN count THEN 'Nothing found that is worth a fix; {count finding} of severity info:
	''prof-analyze bottlenecks --limit 0'' shows all.'
	WHEN EXISTS (SELECT 1 FROM suppressed_findings WHERE finding_count) THEN 'Nothing found that is not suppressed.'
	ELSE 'Nothing found: no measured value crossed a limit.' END
	|| IIF(:unknown_count + :counted_count AND unjudged IS NULL,
	' Timing rules skipped {unknown function} with unknown times.', '') AS text,
	count AS "count/count", :unknown_count + :counted_count AS "unknown/count"
FROM found WHERE NOT shown_count AND (count OR NOT left_out_count);

-- These functions could not be judged: nobody should take them for fast because nothing was
-- found.
-- :note not_judged brief warning tight
SELECT 'Timing rules skipped: {unjudged}.' AS text, unjudged FROM found WHERE unjudged IS NOT NULL;
