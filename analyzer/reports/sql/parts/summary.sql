-- SPDX-License-Identifier: MIT
-- What ran, when, for how long, and how much was recorded: the head of the report.
-- :part summary

-- :values summary brief = Run {run_id}{named}
SELECT :run AS "-run_id", IFNULL(' ''' || NULLIF(label, '') || '''', '') AS "-named/text",
	'{line}' AS "command:~command", IFNULL(command, '?') AS "-line/text",
	'{start}' || CASE WHEN host <> '' THEN ' on {host}' ELSE '' END
	|| CASE WHEN cpu_count <> 0 THEN ', {cpu_count CPU}' ELSE '' END AS "started:~started",
	CASE WHEN length(started_utc) >= 19 AND substr(started_utc, 11, 1) = 'T'
	THEN substr(started_utc, 1, 10) || ' ' || substr(started_utc, 12, 8) || ' UTC'
	ELSE IFNULL(started_utc, 'not known') END AS "-start/text", host AS "-host/text",
	cpu_count AS "-cpu_count",
	'{wall_ns}, ' || CASE WHEN :is_live THEN 'still running'
	WHEN exit_signal <> 0 THEN 'killed by {signal}' WHEN exit_code IS NOT NULL
	THEN 'exit {exit_code}'
	ELSE 'how it ended is not known' END
	|| CASE WHEN :process_count > 1 THEN ', {process_count} processes' ELSE '' END
	|| CASE WHEN :thread_count > 1 THEN ', {thread_count thread}' ELSE '' END AS "wall:~wall",
	wall_ns AS "-wall_ns", signal_name(exit_signal) AS "-signal/text",
	exit_code AS "-exit_code/id",
	CASE WHEN :calls THEN '{calls} of {function_count function}, {path_count call path}'
	ELSE 'none: no instrumented function was called' END AS "calls:~calls_text/text",
	CASE WHEN :alloc_count THEN '{alloc_count allocation}, {alloc_bytes}; peak {peak_bytes}'
	|| CASE WHEN :allocating_count > 1 THEN ' (PID {peak_pid})' ELSE '' END
	|| CASE WHEN :is_live THEN ', live now ' ELSE ', live at exit ' END || '{live_bytes}'
	|| CASE WHEN :allocating_count > 1 THEN ' ({allocating_count process}'
	|| CASE WHEN :live_bytes <> :peak_live_bytes THEN ', {peak_live_bytes} in PID {peak_pid}'
	ELSE '' END || ')' ELSE '' END
	WHEN (SELECT value FROM trust WHERE run_id = :run AND name = 'samples_only')
	THEN 'not recorded: PROFSHIM_SAMPLES=only' ELSE 'no allocation was seen' END
	AS "memory:~memory",
	:alloc_count AS "-alloc_count", :alloc_bytes AS "-alloc_bytes",
	:peak_bytes AS "-peak_bytes", :peak_pid AS "-peak_pid", :live_bytes AS "-live_bytes",
	:allocating_count AS "-allocating_count", :peak_live_bytes AS "-peak_live_bytes",
	CASE WHEN :has_hooks AND NOT :raw
	THEN '{self_ns} in the program''s functions, without the hooks' END AS "time:~time",
	CASE WHEN :has_hooks THEN '{hook_cost_percent} of the {whose}, '
	|| CASE WHEN :raw THEN 'not subtracted below (--raw)' ELSE 'subtracted below' END || ': '
	|| CASE WHEN NOT :has_samples THEN '{pair} per call' || CASE WHEN :counted_percent > 0
		THEN '; {counted_percent} of the calls were only counted, for {counted}' ELSE '' END
	ELSE 'by {sample_count sample}' || CASE WHEN :sample_count THEN ', one for each
		{sample_ns}' || CASE WHEN :sample_percent IS NOT NULL
		THEN ' of CPU time, which cost {sample_percent} of it' ELSE '' END
	ELSE '' END END END AS "hooks:~hooks",
	printf('%.3g', :pair_ns) || CASE WHEN :pair_error_ns > 0
	THEN printf('+-%.2g', :pair_error_ns) ELSE '' END || 'ns' AS "-pair/text",
	printf('%.3g', :counted_ns) || CASE WHEN :counted_error_ns > 0
	THEN printf('+-%.2g', :counted_error_ns) ELSE '' END || 'ns' AS "-counted/text",
	CASE WHEN :thread_count > 1 THEN 'threads'' time' ELSE 'wall' END AS "-whose/text",
	:counted_percent AS "-counted_percent", :sample_count AS "-sample_count",
	:sample_ns AS "-sample_ns", :sample_percent AS "-sample_percent",
	:calls AS ".calls", :function_count AS ".function_count", :path_count AS ".path_count",
	:process_count AS ".process_count", :thread_count AS ".thread_count",
	:self_ns AS ".self_ns", :self_error_ns AS ".self_error_ns",
	:hooks_percent AS ".hook_cost_percent",
	:hooks_error_percent AS ".hook_cost_error_percent"
FROM runs WHERE run_id = :run;
