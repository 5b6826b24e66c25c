-- SPDX-License-Identifier: MIT
-- How far the numbers of a run can be trusted, above every report: one line for people, all
-- counters for machines. common/trust.c has the words and weight of each counter; one that is
-- missing there is shown by its name.
-- :part trust
-- :takes run

-- trust_word() and trust_text() read common/trust.c.
-- :code trust_words brief

-- :keep trust_counters
SELECT name, SUM(value) AS value, MAX(text) AS text, trust_word(name, 'weight') AS weight
FROM trust WHERE run_id = :run AND name IS NOT NULL GROUP BY name ORDER BY name;

-- On a busy machine hooks were interrupted, too: that time counts as the program's and adds to
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

-- The two worst losses or repairs in words. The user's own rules that match nothing count here:
-- what was asked for is not in the numbers.
-- :keep told
SELECT IIF(weight IS NULL, people('count', value) || ' ' || name, trust_text(name, value)) AS words,
	ROW_NUMBER() OVER (ORDER BY IFNULL(weight, 2) DESC, value DESC, name) AS place
FROM trust_counters JOIN judged WHERE value <> 0
	AND (weight IS NULL OR weight >= IIF(complete, 2, 3) AND trust_word(name, 'many') IS NOT NULL
	OR name IN ('rules_without_functions', 'unread_objects'));

-- doctor has the rest: how functions were recorded, what hooks took, the budget.
-- :keep line
WITH parts AS (SELECT j.*,
	CASE WHEN complete THEN '' WHEN exit_code IS NOT NULL AND NOT IFNULL(exit_signal, 0)
		AND NOT :is_live THEN 'not every process ended by itself; '
	WHEN :is_live THEN 'still running; '
	WHEN exit_signal <> 0 THEN 'killed by ' || signal_name(exit_signal) || '; '
	ELSE 'how it ended is not known; ' END AS ended,
	IFNULL((SELECT group_concat(words, ', ') || IIF((SELECT COUNT(*) FROM told) > 2,
		' and more', '') || '; ' FROM (SELECT words FROM told WHERE place <= 2 ORDER BY place)), '')
	AS counters,
	IIF(:calls, 'counts', '') || IIF(:alloc_count, IIF(:calls, ' and ', '') || 'allocations', '')
	|| ' exact' AS counts,
	IIF(worst < 3 AND complete AND NOT :counted_count, ', nothing lost', '') AS lost,
	CASE WHEN :is_split THEN 100.0 * :program_error_ns / NULLIF(:program_ns, 0)
	ELSE 100.0 * :error_ns / NULLIF(:self_ns, 0) END AS off_percent,
	CASE WHEN NOT :sampled_count THEN '' WHEN timer IS NULL THEN ' sampled:'
	ELSE ' sampled by a timer:' END AS way,
	IIF(:sampled_count AND timer IS NOT NULL,
		' (finer samples need kernel.perf_event_paranoid=2)', '') || IIF(:counted_count, '; ' || counted('function', :counted_count) || ' untimed: ' || CASE
	WHEN samples_off THEN 'PROFSHIM_SAMPLES=off' WHEN refused IS NOT NULL OR timer IS NOT NULL
	THEN 'samples need kernel.perf_event_paranoid=2' ELSE 'too short for samples' END, '') AS untimed
	FROM judged j),
far AS (SELECT *, CASE WHEN NOT :calls THEN IIF(:plain_sample_count, 'CPU times sampled', '')
	WHEN off_percent >= 100 THEN 'the program''s run time is unknown'
	ELSE 'times' || way || IFNULL(printf(' +-%.0f%% in total%s', MAX(1, off_percent),
		IIF(timer IS NULL, ', each row has its own', '')), ' exact') END
	|| untimed AS off,
	NOT off_percent >= 10 AND NOT EXISTS (SELECT 1 FROM trust_counters WHERE value <> 0
		AND trust_word(name, 'weight') > 0) AS is_fine FROM parts)
SELECT 'trust: ' || CASE WHEN is_empty THEN 'empty: ' || ended || counters || 'nothing was recorded'
	ELSE IIF(verdict IN ('partial', 'incomplete', 'repaired', 'live'), verdict || ': ', '')
	|| ended || counters || CASE WHEN worst = 3 THEN '' WHEN NOT :calls AND NOT :alloc_count THEN ''
	ELSE counts || lost || IIF(:calls OR :plain_sample_count, '; ', '') END || off END
	|| IIF(verdict = 'exact' AND is_fine, '', '; see ''prof-analyze doctor''') AS line,
	-- estimates are good if every function has one
	verdict = 'exact' OR verdict = 'sampled' AND NOT :counted_count AND NOT :unknown_count
	AND NOT is_uncertain AS is_good
FROM far;

-- :note trust_line brief human
SELECT '{line}' AS text, line AS "line/text", IIF(is_good, 'good', 'warning') AS level FROM line;
