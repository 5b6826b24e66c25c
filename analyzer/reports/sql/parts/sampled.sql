-- SPDX-License-Identifier: MIT
-- Samples of programs without hooks, each number with its statistical error.
-- :part sampled

-- :end
SELECT 1 WHERE NOT :plain_sample_count;

-- :keep seen
SELECT *, TOTAL(cpu_ns) OVER () AS all_ns,
	CASE kind WHEN 'hooks' THEN '[profshim]' ELSE '[no file]' END AS instead
FROM samples WHERE run_id = :run AND program = 'plain';

-- If the CPU time is elsewhere, people see one line only, unless they use --limit.
-- :keep small
SELECT CAST(MAX(all_ns) AS INTEGER) AS cpu_ns,
	100.0 * MAX(all_ns) / (MAX(all_ns) + :cpu_ns) AS cpu_percent FROM seen
HAVING limit_of(8) = 8 AND TOTAL(cpu_ns) FILTER (WHERE kind <> 'hooks') < 0.05 * :cpu_ns;

-- :note sampled_little brief human
SELECT 'Programs without hooks: {cpu_ns}, {cpu_percent} of the CPU time; --limit 10 shows
	them.' AS text, cpu_ns, cpu_percent FROM small;

-- :end
SELECT 1 FROM small;

-- MAX() is the only aggregate of its kind here, so SQLite takes file and line from the row that
-- has the maximum.
-- :table sampled_functions brief optional noun=function weight=cpu_ns,the_CPU_time = Where the CPU time went, by samples
WITH place AS (SELECT IFNULL(name, instead) AS name, module, file, line, all_ns,
	SUM(count) AS count, SUM(cpu_ns) AS cpu_ns
	FROM seen GROUP BY 1, module, file, line),
f AS (SELECT name, module, SUM(count) AS count, SUM(cpu_ns) AS cpu_ns, MAX(cpu_ns) AS most_ns,
	file, line, all_ns FROM place GROUP BY name, module)
SELECT 100.0 * cpu_ns / all_ns AS "self %!:self_cpu_percent",
	100.0 * chance(count, cpu_ns) / all_ns AS ".self_cpu_error_percent",
	cpu_ns AS "CPU!:cpu_ns", CAST(chance(count, cpu_ns) AS INTEGER) AS ".cpu_error_ns",
	count AS "samples:count", name AS "function!:name", module AS "in:module/file",
	file AS ".file", line AS ".line/count", NOT :calls AS "-for_csv/flag"
FROM f ORDER BY cpu_ns DESC, name, module;

-- :table sampled_modules brief half optional noun=file weight=cpu_ns,the_CPU_time = By file
WITH m AS (SELECT IFNULL(module, instead) AS module, SUM(count) AS count, SUM(cpu_ns) AS cpu_ns,
	all_ns FROM seen GROUP BY 1)
SELECT 100.0 * cpu_ns / all_ns AS "self %!:self_cpu_percent",
	100.0 * chance(count, cpu_ns) / all_ns AS ".self_cpu_error_percent",
	cpu_ns AS "CPU!:cpu_ns", CAST(chance(count, cpu_ns) AS INTEGER) AS ".cpu_error_ns",
	count AS "samples:count", module AS "file!:module/file"
FROM m ORDER BY cpu_ns DESC, module;

-- :table sampled_lines brief half optional noun=line weight=cpu_ns,the_CPU_time = By line
WITH l AS (SELECT name, file, line, SUM(count) AS count, SUM(cpu_ns) AS cpu_ns, all_ns
	FROM seen WHERE line IS NOT NULL GROUP BY name, file, line)
SELECT 100.0 * cpu_ns / all_ns AS "self %!:self_cpu_percent",
	100.0 * chance(count, cpu_ns) / all_ns AS ".self_cpu_error_percent",
	cpu_ns AS "CPU!:cpu_ns", CAST(chance(count, cpu_ns) AS INTEGER) AS ".cpu_error_ns",
	count AS "samples:count", name AS "function!:name", file AS "file!:file",
	line AS "line!:line/id"
FROM l ORDER BY cpu_ns DESC, file, line, name;

-- :note sampled_note brief
SELECT '{count sample} of the CPU time of programs without hooks, in user mode; the errors
	are 95 % intervals.' AS text, :plain_sample_count AS count;
