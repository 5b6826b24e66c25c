-- SPDX-License-Identifier: MIT
-- Synthetic runs for the self-test of the gate, in a database in memory.

-- :name run
INSERT INTO run (run_id, token, label, command, complete, exit_code, level, wall_ns,
	inner_cost_ns, outer_cost_ns, hook_cost_error_ns, alloc_count, alloc_bytes, free_count, free_bytes,
	peak_bytes, live_bytes_at_exit)
VALUES (:run, CAST(:run AS TEXT), :label, './synthetic', 1, 0, 'exact', :wall, 10, 20, 3,
	:count, :bytes, :count, :bytes, 4096, 0);

-- :name function
INSERT INTO function (function_id, run_id, name, linkage_name, file, line, calls,
	total_ns,
	self_ns, raw_total_ns, raw_self_ns, alloc_count, alloc_bytes, recording)
VALUES (:run, :run, 'work', 'work', 'work.c', 1, :calls, :self, :self, :self, :self,
	:count, :bytes, 'exact');

-- :name path
INSERT INTO path (path_id, run_id, depth, function_id, kind, calls, total_ns, self_ns,
	raw_total_ns, raw_self_ns, alloc_count, alloc_bytes, live_bytes, at_peak_bytes)
VALUES (:run, :run, 1, :run, 0, :calls, :self, :self, :self, :self, :count, :bytes, 0, 0);
