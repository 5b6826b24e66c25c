-- SPDX-License-Identifier: MIT
-- Samples of the plain build beside those of the hooked one.

-- All functions with samples. Sampling starts only when the collector has found the process, and
-- each sample takes time itself: if all threads are known, the samples are scaled to the threads'
-- CPU time, less the sampling.
-- :name all
WITH runs AS (SELECT plain_run_id AS run_id FROM plain_runs WHERE run_id = :run),
	sampled AS (SELECT TOTAL(cpu_ns) AS cpu_ns, TOTAL(count) * (SELECT TOTAL(value) /
		MAX(COUNT(*), 1) FROM trust WHERE run_id IN runs AND name = 'sample_tick_ns')
		AS own_ns FROM samples WHERE run_id IN runs),
	threaded AS (SELECT TOTAL(cpu_ns) AS cpu_ns FROM threads WHERE run_id IN runs),
	part AS (SELECT (MAX(s.cpu_ns * (t.cpu_ns < 0.95 * s.cpu_ns), t.cpu_ns) - s.own_ns)
		/ s.cpu_ns AS times FROM sampled s, threaded t)
SELECT name, module, file, line, function_id, plain_samples, hooked_samples,
	CAST(ROUND(plain_cpu_ns * (SELECT times FROM part) / plain_runs) AS INTEGER) AS cpu_ns,
	hooked_cpu_ns, calls, alloc_count, alloc_bytes
FROM plain_functions WHERE run_id = :run ORDER BY plain_cpu_ns DESC, name;

-- :name sums
SELECT COUNT(*) AS plain_runs,
	(SELECT COUNT(*) FROM samples s JOIN plain_runs p ON s.run_id = p.plain_run_id
	WHERE p.run_id = :run AND s.program = 'plain' AND s.line IS NOT NULL) AS line_count
FROM plain_runs WHERE run_id = :run;
