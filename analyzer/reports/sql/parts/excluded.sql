-- SPDX-License-Identifier: MIT
-- Functions whose hooks cost more than they show, and the flags that leave them out of the next
-- build: exclude-list of a run.
-- :part excluded
-- :takes run

-- :nothing
SELECT 1 WHERE :calls = 0;

-- gcc_visible() gives a name as gcc sees it, gcc_word() the part of it to match.
-- :code gcc_words

-- All functions are considered, because a word must not match others by accident. Regions are no
-- functions. A function is worth leaving out if its hooks would take as long as it does itself,
-- or do so in nearly all of its calls (a few that waited for a CPU take longer than all others),
-- or if its time is not known. One that allocates in every hundredth call or more often stays:
-- else its blocks would be its caller's.
-- :keep candidates
SELECT function_id, name, gcc_visible(IFNULL(full_name, name)) AS visible, file, line, calls,
	self_ns, self_error_ns, (calls - counted) * :pair_ns + counted * :counted_ns AS saved_ns,
	(calls - counted) * :pair_error_ns + counted * :counted_error_ns AS saved_error_ns,
	module IS NOT NULL AND naming = 'exact' AND calls > 0 AND alloc_count * 100 < calls
	AND (calls * :pair_ns > self_ns OR IFNULL(p99_ns < :pair_ns, 0)
		OR self_error_ns > 0 AND ABS(self_ns) <= self_error_ns) AS is_worth_it
FROM (SELECT f.*, MIN(f.calls, MAX(0, IFNULL(c.counted_calls, 0))) AS counted
	FROM functions f LEFT JOIN (SELECT function_id, SUM(counted_calls) AS counted_calls
		FROM recordings WHERE run_id = :run GROUP BY function_id) c USING (function_id)
	WHERE f.run_id = :run AND f.calls IS NOT NULL);

-- Functions that hold most of the program's own time stay: people want to see them.
-- :keep ranked
SELECT *, is_offered AND ROW_NUMBER() OVER by_saving <= limit_of(20) AS is_chosen,
	ROW_NUMBER() OVER by_saving AS place
FROM (SELECT *, is_worth_it AND saved_ns >= IFNULL(:min_share, 0.5) / 100 * :hooks_ns
	AND function_id IS NOT (SELECT function_id FROM candidates WHERE calls > 0
		AND self_ns > self_error_ns ORDER BY self_ns DESC, function_id LIMIT 1)
	AS is_offered FROM candidates)
WINDOW by_saving AS (ORDER BY is_offered DESC, saved_ns DESC, function_id) ORDER BY place;

-- The word for a name, unless a function that stays has it, too; then the file's base name, which
-- occurs in any path by which gcc reached the file.
-- :keep chosen
SELECT *, IIF(gcc_word IS NOT NULL AND other IS NULL, 'name',
	IIF(base <> '' AND base NOT GLOB '*[,\'' ]*' AND NOT EXISTS (SELECT 1 FROM ranked r
		WHERE NOT r.is_chosen AND (r.file IS NULL OR instr(r.file, base))),
	'file', 'hand')) AS by
FROM (SELECT *, (SELECT r.name FROM ranked r WHERE NOT r.is_chosen
		AND instr(r.visible, c.gcc_word) ORDER BY r.place LIMIT 1) AS other,
	replace(c.file, rtrim(c.file, replace(c.file, '/', '')), '') AS base
	FROM (SELECT *, gcc_word(visible) AS gcc_word FROM ranked WHERE is_chosen) c);

-- :keep left_out
SELECT * FROM ranked WHERE is_offered AND NOT is_chosen;

-- :table functions main quiet rows=20 noun=function = Functions whose hooks cost more than they show
SELECT CAST(saved_ns AS INTEGER) AS "saved!:saved_ns",
	CAST(saved_error_ns AS INTEGER) AS ".saved_error_ns",
	IIF(:hooks_ns > 0, 100 * saved_ns / :hooks_ns, 0.0) AS "of hooks!:saved_percent",
	calls AS "calls!:calls", self_ns AS "self!:self_ns", self_error_ns AS ".self_error_ns",
	by AS "by!:by", CASE by WHEN 'name' THEN gcc_word WHEN 'file' THEN base END AS ".word",
	name AS "function!:name", file AS "where:.file/place", function_id AS ".function_id",
	CASE WHEN by = 'hand' THEN IFNULL('''' || gcc_word || ''' is part of the name of '
	|| other || ', which stays', 'gcc has no word for such a name') END AS ">?reason",
	line AS "-line/id"
FROM (SELECT * FROM chosen UNION ALL SELECT *, NULL, NULL, NULL, NULL FROM left_out)
ORDER BY place;

-- Each word once, and none that contains another, quoted for a shell.
-- :keep gcc
WITH words AS (SELECT by, IIF(by = 'name', gcc_word, base) AS word, place FROM chosen
	WHERE by <> 'hand'),
needed AS (SELECT * FROM words w WHERE NOT EXISTS (SELECT 1 FROM words o WHERE o.by = w.by
	AND o.place <> w.place AND instr(w.word, o.word)
	AND (o.word <> w.word OR o.place < w.place)) ORDER BY by DESC, place),
lists AS (SELECT by, group_concat(word, ',') AS words FROM needed GROUP BY by ORDER BY by DESC),
quoted AS (SELECT *, IIF(words GLOB '*[{}<>=!*&|() ~]*', '''', '') AS quote FROM lists)
SELECT IFNULL(group_concat(quote || '-finstrument-functions-exclude-'
	|| IIF(by = 'name', 'function', 'file') || '-list=' || words || quote, ' '), '') AS flags
FROM quoted;

-- For scripts.
-- :values flags machine
SELECT flags AS ".gcc/text", '-finstrument-functions-after-inlining' AS ".clang/text" FROM gcc;

-- The recording overhead that would be left.
-- :values effect
SELECT '{hook_percent} of the recorded time now, about {hook_percent_after} without these'
	AS "hooks:~hooks", '{calls} that would not be counted any more, {calls_percent} of all'
	AS "calls:~calls_text", CAST(calls AS INTEGER) AS ".calls",
	CAST(saved_ns AS INTEGER) AS ".saved_ns",
	CAST(saved_error_ns AS INTEGER) AS ".saved_error_ns",
	:recorded_hooks_percent AS ".hook_percent",
	MIN(100, IIF(:recorded_ns - saved_ns > 0, 100 * MAX(0, :hooks_ns - saved_ns)
	/ (:recorded_ns - saved_ns), 0.0)) AS ".hook_percent_after/percent",
	:recorded_hooks_error_percent AS "-hook_error_percent",
	100.0 * calls / :calls AS "-calls_percent"
FROM (SELECT COUNT(*) AS count, TOTAL(calls) FILTER (WHERE by <> 'hand') AS calls,
	TOTAL(saved_ns) FILTER (WHERE by <> 'hand') AS saved_ns,
	TOTAL(saved_error_ns) FILTER (WHERE by <> 'hand') AS saved_error_ns FROM chosen)
WHERE count > 0;

-- :note gcc
SELECT 'gcc looks for these words anywhere in a name, with namespace and class;
	functions that did not run are not considered here:' AS text FROM gcc WHERE flags <> '';

-- :note gcc_flags verbatim
SELECT '{flags}' AS text, flags AS "flags/text" FROM gcc WHERE flags <> '';

-- :note clang
SELECT 'clang has no such list: -finstrument-functions-after-inlining, in place of
	-finstrument-functions, leaves out what it inlines;
	__attribute__((no_instrument_function)) leaves out a function, with gcc too.' AS text
WHERE EXISTS (SELECT 1 FROM chosen);

-- :note nothing_to_exclude good
SELECT 'No function is worth leaving out: none has hooks that took --min-share of
	what all hooks took, and as long as the function itself.' AS text
WHERE NOT EXISTS (SELECT 1 FROM chosen);
