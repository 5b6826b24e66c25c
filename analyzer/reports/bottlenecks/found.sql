-- SPDX-License-Identifier: MIT
-- The outcome of the rules, for the queries of ../sql/parts/found.sql and found_rules.sql. C
-- fills these tables.

-- Counts of findings: all, shown, and left out by --focus and --ignore. Also the functions that
-- rules about time could not judge, what --fail-on found, and the worst severity (0 info, 1 low).
-- :name found
SELECT 0 AS count, 0 AS shown_count, 0 AS left_out_count, '' AS unjudged, '' AS fail_on,
	0 AS failing_count, 0 AS worst WHERE 0;

-- The function with most time on the critical path, and its largest possible share of it. No row
-- if no thread waited for another.
-- :name critical_bound
SELECT '' AS name, 0.0 AS part WHERE 0;

-- A nap is left out: the sleeper waits for nobody.
-- :name waited_for_others
SELECT 1 FROM stalls WHERE run_id = :run AND kind NOT IN ('sleep', 'call') LIMIT 1;

-- :name rule_states
SELECT '' AS id, '' AS rule, '' AS outcome, '' AS reason WHERE 0;

-- :name suppressed_findings
SELECT 0 AS finding_count, '' AS rule, '' AS function, '' AS expires, 0 AS expired,
	'' AS reason WHERE 0;

-- What lowers the confidence of findings.
-- :name lowered
SELECT touches, most FROM quality WHERE touches <> 0;
