-- SPDX-License-Identifier: MIT
-- How far the numbers of a run go, in a line for people, and all counters for machines: above
-- every report of a run. Each counter has its words and weight in common/trust.c; one without
-- is shown by its name.
-- :part trust
-- :takes run

-- trust_word() and trust_text(): what common/trust.c has of a counter.
-- :code trust_words brief

-- :keep trust_counters
SELECT name, SUM(value) AS value, MAX(text) AS text, trust_word(name, 'weight') AS weight
FROM trust WHERE run_id = :run AND name IS NOT NULL GROUP BY name ORDER BY name;

-- :include trust_budget

-- On a busy machine hooks were interrupted, too: that time is in the program's, and adds to
-- the error. From a tenth on the error of the run's time is told.
-- :keep judged
SELECT *, CASE WHEN :is_live THEN 'live' WHEN is_empty THEN 'empty' WHEN worst = 3 THEN 'partial'
	WHEN NOT complete THEN 'incomplete' WHEN worst = 2 THEN 'repaired'
	WHEN NOT :calls AND NOT :alloc_count THEN 'sampled' WHEN :counted_count THEN 'counted'
	WHEN :sampled_count THEN 'sampled'
	WHEN :off_count OR :unknown_count OR is_uncertain THEN 'uncertain' ELSE 'exact' END
	AS verdict
FROM (SELECT complete, exit_code, exit_signal, :error_ns > 0.1 * :self_ns AS is_uncertain,
	NOT :calls AND NOT :alloc_count AND NOT :plain_sample_count AS is_empty,
	(SELECT IFNULL(MAX(IFNULL(weight, 1)), 0) FROM trust_counters WHERE value <> 0
		AND (weight IS NULL OR weight > 0 AND trust_word(name, 'many') IS NOT NULL)) AS worst,
	(SELECT text FROM trust_counters WHERE name = 'sampling_refused' AND value > 0) AS refused,
	(SELECT NULLIF(text, '') FROM trust_counters WHERE name = 'timer_samples' AND value > 0) AS timer,
	(SELECT value > 0 FROM trust_counters WHERE name = 'samples_off') AS samples_off
	FROM runs WHERE run_id = :run);

-- :pairs trust brief machine
SELECT name, value AS "value/any" FROM (SELECT name, value FROM trust_counters ORDER BY name)
UNION ALL SELECT 'verdict', verdict FROM judged;

-- Counters in words, but for those that the line tells by how functions were recorded.
-- :keep told
SELECT IFNULL(group_concat('; ' || IIF(weight IS NULL, people('count', c.value) || ' ' || name,
	trust_text(name, c.value)), ''), '') AS counters
FROM trust_counters c, judged WHERE value <> 0
	AND (weight IS NULL OR weight > 0 AND trust_word(name, 'many') IS NOT NULL)
	AND NOT CASE name WHEN 'sampled_functions' THEN :sampled_count > 0
		WHEN 'sampling_refused' THEN :counted_count > 0
		WHEN 'timer_samples' THEN :sampled_count > 0 AND timer IS NOT NULL
		WHEN 'counted_functions' THEN :counted_count > 0 ELSE 0 END;

-- :keep line
WITH allowed AS (SELECT '; sysctl kernel.perf_event_paranoid=2, or --cap-add PERFMON for a '
	|| 'container, allows them' AS words),
parts AS (SELECT j.*,
	-- what ran
	IIF(:calls OR NOT :alloc_count AND NOT :plain_sample_count, counted('call', :calls), '')
	|| IIF(:calls AND :alloc_count, ' and ', '')
	|| IIF(:alloc_count, counted('allocation', :alloc_count), '')
	|| IIF(:plain_sample_count, IIF(:calls OR :sampled_count OR :alloc_count, ', ', '')
		|| counted('sample', :plain_sample_count) || ' of CPU time', '')
	|| IIF(worst < 3 AND complete AND NOT is_empty, ', nothing lost', '') AS what,
	-- how it ended
	CASE WHEN complete THEN '' WHEN exit_code IS NOT NULL AND NOT IFNULL(exit_signal, 0)
		AND NOT :is_live THEN '; not every process ended by itself'
	WHEN :is_live THEN '; still running'
	WHEN exit_signal <> 0 THEN '; killed by ' || signal_name(exit_signal)
	WHEN exit_code IS NOT NULL THEN '; exit ' || exit_code
	ELSE '; how it ended is not known' END AS ended,
	-- how far times are off
	CASE WHEN :error_ns > 0 AND ABS(:self_ns) <= :error_ns
	THEN '; how long the program itself took is not known'
	WHEN :unknown_count THEN '; the times of ' || people('count', :unknown_count) || ' of '
	|| counted('function', :function_count) || ' are not known'
	WHEN is_uncertain THEN printf('; times are off by up to %.0f%%',
	IIF(:self_ns > 0, 100.0 * :error_ns / :self_ns, 0)) END AS times,
	-- and why
	IIF(:recorded_hooks_percent >= 30, ': ' || people('percent', :recorded_hooks_percent)
	|| IIF(:recorded_hooks_error_percent >= 0.05,
		printf(' +-%.2g%%', :recorded_hooks_error_percent), '')
	|| ' of the recorded time was the hooks'' own', '')
	|| IIF(:hooks_waited_ns > :self_error_ns AND is_uncertain, '; the machine was busy, and '
	|| people('ns', :hooks_waited_ns) || ' in which hooks waited for a CPU are in the times', '')
	AS reasons,
	-- how functions were recorded
	IIF(:sampled_count, '; ' || counted('function', :sampled_count) || ' timed by '
	|| IIF(:sample_count, counted('sample', :sample_count), 'samples')
	|| IIF(timer IS NOT NULL, ' of a timer (none of the kernel: ' || timer || words || ')', ''),
	'') || IIF(:counted_count, '; ' || counted('function', :counted_count)
	|| ' counted and not timed (' || CASE
	WHEN samples_off THEN 'PROFSHIM_SAMPLES=off; without it they are timed'
	WHEN refused IS NOT NULL OR timer IS NOT NULL
	THEN 'no samples: ' || IFNULL(refused, timer) || words
	ELSE 'no samples: too short for any' END || ')', '') AS ways,
	IFNULL((SELECT printf(' (budget %g%%', percent) || IIF(is_exceeded, ', exceeded: '
	|| people('percent', hooks_percent) || IIF(is_exceeded_by_counting, ', '
	|| people('percent', counting_percent) || ' by counting alone', ''), '') || ')'
	FROM budget), '') AS budget
	FROM judged j, allowed)
SELECT 'trust: ' || IIF(NOT :calls AND NOT :alloc_count, verdict, CASE verdict
	WHEN 'sampled' THEN 'exact counts, sampled times'
	WHEN 'counted' THEN 'exact counts, times of timed callers'
	WHEN 'uncertain' THEN 'exact counts, uncertain times' ELSE verdict END) || ': ' || what
	|| ended || IIF(:calls, IFNULL(times || reasons, '') || ways || budget, '') || counters
	AS line,
	-- estimates are good where they say something of every function
	verdict = 'exact' OR verdict = 'sampled' AND NOT :counted_count AND NOT :unknown_count
	AND NOT is_uncertain AS is_good
FROM parts, told;

-- :note trust_line brief human
SELECT '{line}' AS text, line AS "line/text", IIF(is_good, 'good', 'warning') AS level FROM line;
