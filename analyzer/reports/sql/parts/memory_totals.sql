-- SPDX-License-Identifier: MIT
-- Allocations, peak and memory live at the end: the head of the memory tables.
-- :part memory_totals

-- :values memory brief = Memory
SELECT '{alloc_bytes} in {alloc_count allocation}' || IIF(:temporary_count, ', {temporary_percent}
	of them temporary', '') AS "allocated:~allocated",
	'{peak_bytes} at the peak' || CASE WHEN :allocating_count > 1
	THEN ' (PID {peak_pid})' ELSE '' END || ', {live_bytes_at_exit} '
	|| CASE WHEN :is_live THEN 'now' ELSE 'at exit' END
	|| CASE WHEN :allocating_count > 1 THEN ' (in {allocating_count process}'
	|| CASE WHEN :live_bytes <> :peak_live_bytes
	THEN ', {peak_process_live_bytes} in PID {peak_pid}' ELSE '' END || ')' ELSE '' END
	AS "live:~live",
	:allocating_count AS "-allocating_count", :alloc_count AS ".alloc_count",
	:alloc_bytes AS ".alloc_bytes", :free_count AS ".free_count",
	:peak_bytes AS ".peak_bytes", :live_bytes AS ".live_bytes_at_exit",
	:peak_pid AS ".peak_pid", :peak_live_bytes AS ".peak_process_live_bytes",
	:temporary_count AS ".temporary_count",
	CASE WHEN :alloc_count > 0 THEN 100.0 * :temporary_count / :alloc_count ELSE 0.0 END
	AS ".temporary_percent";
