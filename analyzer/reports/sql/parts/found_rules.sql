-- SPDX-License-Identifier: MIT
-- What stands below findings: what was suppressed, and the outcome of each rule. A rule without
-- data must not look like one that passed. The tables are bottlenecks/run.c's.
-- :part found_rules
-- :takes run

-- :include quality

-- :note suppression_expired warning
SELECT 'The suppression of {rule}' || IIF(function IS NULL, '', ' for {function}')
	|| ' expired on {expires} and is not applied: {reason}' AS text, rule AS "rule/text",
	function AS "function/text", expires, reason AS "reason/text" FROM suppressed_findings WHERE expired;

-- :table suppressed optional whole = Suppressed
SELECT finding_count AS "findings!:finding_count", rule AS "rule!:rule/text",
	function AS "function!:function/any", expires AS "expires!:expires/text",
	expired AS ".expired/flag", reason AS "reason!:reason/text"
FROM suppressed_findings ORDER BY rowid;

-- :table rules machine whole
SELECT id AS "id/text", rule AS "rule/text", outcome AS "outcome/text", reason AS "reason/text"
FROM rule_states ORDER BY rowid;

-- Rules that lack the same data are grouped, so that the reason is told once.
-- :values rules_without_findings human = Rules without a finding
WITH words AS (SELECT outcome, rowid AS place, id || ' ' || rule || IIF(
		LEAD(IFNULL(reason, ''), 1, 'last') OVER (PARTITION BY outcome ORDER BY rowid)
		<> IFNULL(reason, '') AND outcome LIKE 'not %',
		' (' || IFNULL(reason, 'no data') || ')', '') AS words FROM rule_states),
lines AS (SELECT outcome, group_concat(words, ', ') AS line
	FROM (SELECT * FROM words ORDER BY place) GROUP BY outcome)
SELECT MAX(IIF(outcome = 'not measured', line, NULL)) AS "not measured:~not_measured",
	MAX(IIF(outcome = 'not judged', line, NULL)) AS "not judged:~not_judged",
	MAX(IIF(outcome = 'off', line, NULL)) AS "off:~off",
	MAX(IIF(outcome = 'passed', line, NULL)) AS "passed:~passed",
	IIF(MAX(outcome <> 'found'), NULL, 'every rule found something') AS "none:~none"
FROM lines;
