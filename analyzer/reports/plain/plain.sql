-- SPDX-License-Identifier: MIT
-- Samples of the plain build beside those of the hooked one.

-- Sums of one run of the plain build each: the exposure of a function without samples is that
-- of all.
-- :name all
SELECT name, module, file, line, function_id, plain_samples, hooked_samples,
	plain_cpu_ns / plain_runs AS cpu_ns, hooked_cpu_ns, calls, alloc_count, alloc_bytes
FROM plain_functions WHERE run_id = :run ORDER BY plain_cpu_ns DESC, name;

-- :name sums
SELECT COUNT(*) AS plain_runs,
	(SELECT COUNT(*) FROM samples s JOIN plain_runs p ON s.run_id = p.plain_run_id
	WHERE p.run_id = :run AND s.program = 'plain' AND s.line IS NOT NULL) AS line_count
FROM plain_runs WHERE run_id = :run;
