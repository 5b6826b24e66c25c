-- SPDX-License-Identifier: MIT
-- The source lines that are shown and the notes beside them: the first lines of the functions
-- with most self time, for the report on one page, and the lines that allocated most. Times are
-- known for functions only. The first row gives their number.
-- :part source

-- :include each_site

-- :keep source_functions
SELECT *, ROW_NUMBER() OVER (ORDER BY hot_ns DESC, name) AS place FROM (
	SELECT name, file, line, calls, CASE WHEN :raw THEN raw_self_ns ELSE self_ns END AS self_ns,
	CASE WHEN NOT :raw THEN self_error_ns END AS self_error_ns,
	CASE WHEN :raw THEN raw_self_ns WHEN :is_split THEN self_cpu_ns ELSE self_ns END AS hot_ns
	FROM functions WHERE :has_sources AND run_id = :run AND fits(name)
	AND recording <> 'counted' AND NOT (recording = 'off' AND total_ns <= 0))
WHERE hot_ns > 0 AND file <> '' AND line <> 0;

-- Sites of one line are summed over paths; a site without a line gets that of its function.
-- :keep source_lines
SELECT *, ROW_NUMBER() OVER (ORDER BY alloc_bytes DESC, file, line) AS place FROM (
	SELECT file, line, SUM(alloc_bytes) AS alloc_bytes, SUM(alloc_count) AS alloc_count
	FROM each_site WHERE :has_sources AND file <> '' AND line <> 0 GROUP BY 1, 2);

-- :code source brief
SELECT 0 AS part, NULL AS place, NULL AS "file/any", NULL AS "line/id", NULL AS "function/name",
	NULL AS self_ns, NULL AS self_error_ns, NULL AS calls, NULL AS alloc_bytes,
	NULL AS alloc_count, 'Shown are ' || CASE WHEN :is_brief THEN
	people('count', MIN(20, f.count)) || ' of ' || counted('function', f.count)
	|| ' (those with the most time, from where they begin) and ' ELSE '' END
	|| people('count', MIN(30, l.count)) || ' of ' || counted('allocating line', l.count)
	|| ' (those with the most bytes). ' || CASE WHEN :is_brief THEN
	'A time is that of the whole function, not of its line. ' ELSE '' END
	|| 'What a line allocated is exact, the sum over all paths to it. The recording does not '
	|| 'hold the files: if they have changed since the program was built, lines may not match.'
	AS about,
	(SELECT CAST((julianday(started_utc) - 2440587.5) * 86400 AS INTEGER) FROM run
		WHERE run_id = :run) AS "started_s/any"
FROM (SELECT COUNT(*) AS count FROM source_functions) f,
	(SELECT COUNT(*) AS count FROM source_lines) l
WHERE :has_sources
UNION ALL SELECT 1, place, file, line, IFNULL(name, '?'), self_ns, self_error_ns, calls, NULL,
	NULL, NULL, NULL
FROM source_functions WHERE :is_brief AND :has_sources AND place <= 20
UNION ALL SELECT 2, place, file, line, NULL, NULL, NULL, NULL, alloc_bytes, alloc_count, NULL, NULL
FROM source_lines WHERE :has_sources AND place <= 30
ORDER BY part, place;
