-- SPDX-License-Identifier: MIT
-- What the recorder did in a run, and at what cost.

-- A run with one lane has no path_lane. Counted calls without a path are in no other number.
-- :name run
SELECT r.hook_cost_ns, r.hook_cost_error_ns, r.counted_cost_ns, r.counted_cost_error_ns,
	r.alloc_cost_ns, r.alloc_cost_error_ns,
	r.overhead_percent,
	r.alloc_count,
	(SELECT TOTAL(calls) FROM functions WHERE run_id = :run) +
	(SELECT TOTAL(value) FROM trust WHERE run_id = :run
		AND name IN ('nested_entries', 'nested_counted')) AS calls,
	(SELECT TOTAL(counted_calls) FROM recordings WHERE run_id = :run
		AND function_id IS NOT NULL) +
	(SELECT TOTAL(value) FROM trust WHERE run_id = :run AND name = 'nested_counted')
		AS counted_calls,
	(SELECT TOTAL(waited_ns) FROM (SELECT MAX(cpu_wait_ns) AS waited_ns FROM resources
		WHERE run_id = :run GROUP BY process_id)) AS waited_ns,
	(SELECT TOTAL(value) FROM trust WHERE run_id = :run AND name = 'left_out_ns')
		AS left_out_ns
FROM runs r WHERE r.run_id = :run;

-- computed_ns: by all threads, in user mode as far as is known.
-- :name samples
SELECT TOTAL(count) AS count, TOTAL(cpu_ns) AS cpu_ns,
	TOTAL(count * (kind IN ('hooks', 'stubs'))) AS hook_count,
	TOTAL(count * (kind = 'stubs')) AS stub_count,
	TOTAL(count * (kind = 'folded')) AS folded_count,
	(SELECT TOTAL(cpu_ns) FROM threads WHERE run_id = :run) -
	(SELECT TOTAL(value) FROM trust WHERE run_id = :run AND name = 'unsampled_kernel_ns')
		AS computed_ns
FROM samples WHERE run_id = :run AND program = 'hooked';

-- :name lanes
SELECT s.lane_id, s.calls FROM path_lane s JOIN lane l USING (lane_id) WHERE l.run_id = :run;
