-- SPDX-License-Identifier: MIT
-- :report lines: the source lines that computed most
-- :argument [FUNC]
-- :takes run limit sort filter maybe
-- :example prof-analyze lines run.db parse_record
-- :about
-- Samples of the CPU clock by source line: where in FUNC, or in the whole program, the CPU
-- time went. ± is the error that comes from the number of samples: a longer run has more,
-- and a smaller error. The line of a call has the time of preparing the call, not of the
-- called function. An inlined function is named beside the function that contains its code.
-- Code without line information has its file instead. FUNC is a name, as in callers;
-- --focus and --ignore look at the names of functions.

-- :keep line
SELECT outer_name, NULLIF(name, outer_name) AS inlined, module, file, line,
	SUM(count) AS count, SUM(cpu_ns) AS cpu_ns, TOTAL(SUM(cpu_ns)) OVER () AS all_ns
FROM samples WHERE run_id = :run AND kind = 'code' AND passes(outer_name)
GROUP BY outer_name, name, module, file, line;

-- Programs without hooks have no functions, only names.
-- :keep wanted
SELECT * FROM line WHERE :argument IS NULL OR outer_name = CASE
	WHEN :argument IN (SELECT outer_name FROM line) THEN :argument
	ELSE (SELECT name FROM functions WHERE run_id = :run AND function_id = meant(:argument)) END;

-- :note no_samples empty stop
SELECT IIF(:argument IS NULL, 'No CPU time of the program was sampled.',
	'No sample fell into this function.') AS text,
	'Record a longer run; ''prof-analyze doctor'' says whether the kernel allows samples.'
	AS advice
WHERE NOT EXISTS (SELECT 1 FROM wanted);

-- :table lines main sort rows=20 noun=line weight=self_cpu_ns,the_CPU_time
SELECT cpu_ns AS "self CPU!:self_cpu_ns",
	CAST(chance(count, cpu_ns) AS INTEGER) AS ".self_cpu_error_ns",
	100.0 * cpu_ns / all_ns AS "share!:share_percent", count AS "samples:count",
	outer_name AS "function!:name", inlined AS "inlined:?inlined/name",
	IFNULL(file, module) AS "line!:~where/place", line AS "-line/id", file AS ".file",
	line AS ".line/id",
	module AS ".module/file"
FROM wanted ORDER BY cpu_ns DESC, file, line, outer_name, inlined;
