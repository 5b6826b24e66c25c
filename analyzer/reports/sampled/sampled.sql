-- SPDX-License-Identifier: MIT
-- Samples of programs without hooks. With MAX() alone SQLite takes the other columns from
-- the row that has it.

-- :name functions
WITH place AS (
	SELECT IFNULL(name, CASE kind WHEN 'hooks' THEN '[profshim]' ELSE '[no file]' END)
		AS name, module, file, line,
		SUM(count) AS count, SUM(cpu_ns) AS cpu_ns
	FROM samples WHERE run_id = :run AND program = 'plain'
	GROUP BY 1, module, file, line)
SELECT name, module, count, cpu_ns, file, line FROM (
	SELECT name, module, SUM(count) AS count, SUM(cpu_ns) AS cpu_ns, MAX(cpu_ns) AS most_ns,
		file, line
	FROM place GROUP BY name, module)
ORDER BY cpu_ns DESC, name, module;

-- :name modules
SELECT IFNULL(module, CASE kind WHEN 'hooks' THEN '[profshim]' ELSE '[no file]' END)
	AS module, SUM(count) AS count, SUM(cpu_ns) AS cpu_ns
FROM samples WHERE run_id = :run AND program = 'plain'
GROUP BY 1 ORDER BY cpu_ns DESC, 1;

-- :name lines
SELECT name, file, line, SUM(count) AS count, SUM(cpu_ns) AS cpu_ns
FROM samples WHERE run_id = :run AND program = 'plain' AND line IS NOT NULL
GROUP BY name, file, line ORDER BY cpu_ns DESC, file, line, name;

-- Sums of one run of the plain build each: the exposure of a function without samples is that
-- of all.
-- :name plain
SELECT name, module, file, line, function_id, plain_samples, hooked_samples,
	plain_cpu_ns / plain_runs AS cpu_ns, hooked_cpu_ns, calls, alloc_count, alloc_bytes
FROM plain_functions WHERE run_id = :run ORDER BY plain_cpu_ns DESC, name;

-- :name plain_sums
SELECT COUNT(*) AS plain_runs,
	(SELECT COUNT(*) FROM samples s JOIN plain_runs p ON s.run_id = p.plain_run_id
	WHERE p.run_id = :run AND s.program = 'plain' AND s.line IS NOT NULL) AS line_count
FROM plain_runs WHERE run_id = :run;
