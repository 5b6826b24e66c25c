-- SPDX-License-Identifier: MIT
-- :rule Q1 data-quality: The recording itself
-- :about losses, repairs and hook costs lower the confidence of the findings that depend
-- on them
-- :needs own
-- :limit hooks_medium = 0.3 ratio, not above hooks_low: hooks' share of the recorded time from
-- which findings about time have at most medium confidence
-- :limit hooks_low = 0.8 ratio, at most 1: the same for low
-- :limit samples_enough = 200 count: with this many samples of CPU time, which tell hooks
-- from the program, the hooks' share does not count
-- :limit lost_medium = 0.001 ratio, not above lost_low: share of the calls, or of the
-- allocations, that was lost or attributed elsewhere, from which findings that rest on them
-- have at most medium confidence
-- :limit lost_low = 0.1 ratio, at most 1: the same for low
-- :limit repaired_medium = 0.05 ratio, at most 1: share of the calls that had no exit of their
-- own, from which findings about time have at most medium confidence
-- :limit header_share = 0.3 ratio, at most 1: share of the calls that are of functions of
-- system headers or libraries from which the flags that leave them out are named
-- :limit unresolved_share = 0.05 ratio, at most 1: share of the time in functions without a name,
-- from which findings about such functions have at most medium confidence

-- Clock steps are not checked: the recorder's clocks do not step when the time of day is set,
-- and a recording would not show it.
-- :facts
-- Calls of hooked functions that the user did not write: those from headers in objects that
-- also have others' code. A library with its own hooks is what somebody wants to see, and libc
-- is recorded without hooks. Such calls make no finding less certain; they take the hooks'
-- time, and room in every table.
WITH headers AS MATERIALIZED (SELECT MIN(1, TOTAL(calls) / NULLIF(:calls, 0)) AS share FROM function
	WHERE run_id = :run AND is_library = 1 AND module_id IN (SELECT module_id FROM function
		WHERE run_id = :run AND is_library = 0 AND calls > 0)
	AND function_id NOT IN (SELECT function_id FROM path WHERE run_id = :run AND kind >= 2)),
recipe AS (SELECT :header_recipe || '; ''prof-analyze exclude-list --program PROGRAM'' has the '
	|| 'lines for CMake, Meson and Autotools' AS words),
-- Leaves out first what exclude-list names, not the hottest functions. A region is no
-- function.
tiny AS MATERIALIZED (SELECT name, calls, ROW_NUMBER() OVER (ORDER BY calls DESC, function_id)
	AS place FROM (SELECT f.*, COALESCE((SELECT SUM(r.counted_calls) FROM recordings r
		WHERE r.run_id = :run AND r.function_id = f.function_id), 0) AS counted_calls
	FROM functions f WHERE f.run_id = :run AND f.calls > 0 AND f.module IS NOT NULL
		AND f.naming = 'exact')
	WHERE alloc_count * 100 < calls
		AND (calls * :hook_ns > self_ns OR p99_ns < :hook_ns OR self_ns <= self_error_ns)
		AND function_id <> IFNULL((SELECT function_id FROM functions WHERE run_id = :run
				AND calls > 0 AND self_ns > self_error_ns
			ORDER BY self_ns DESC, function_id LIMIT 1), 0)
		AND calls * :hook_ns - MIN(calls, counted_calls) * (:hook_ns - :counted_ns)
			>= 0.005 * :hooks_ns
	ORDER BY calls DESC, function_id LIMIT 5),
-- GCC looks for the words in function names, in C++ with namespace and class. It writes
-- templates, conversions and unnamed namespaces differently than here. A comma would end a
-- word, and a part of the name would match other functions.
words AS (SELECT group_concat(word, ', ') AS list, SUM(calls) AS calls
	FROM (SELECT substr(name, 1, instr(name || '(', '(') - 1) AS word, calls FROM tiny
		WHERE name NOT LIKE '(%' AND name <> '' AND NOT instr(name, '{')
			AND NOT instr(name, '(anonymous') AND NOT substr(name, 1,
			instr(name || '(', '(') - 1) GLOB '*[,''" <]*'
			AND NOT instr(substr(name, 1, instr(name || '(', '(') - 1), 'operator')
		ORDER BY place LIMIT 3)),
-- The recorded cost of hooks, as a share of all time the hooks saw, less waits for a CPU,
-- which on a busy machine would make the share look small. Corrected times are no base: if
-- little remained of one, they add up to more than there was. If samples tell hooks from the
-- program's own time, hooks raise no doubt. The report also has the hooks' share of wall time,
-- which includes such waits.
hooks AS (SELECT MIN(1, :hooks_ns / NULLIF(MAX(0, :recorded_ns - :roots_ready_ns), 0)) AS share,
	MIN(1, :hooks_error_ns / NULLIF(MAX(0, :recorded_ns), 0)) AS error),
counters AS MATERIALIZED (SELECT name, SUM(value) AS value, trust_word(name, 'touches') AS touches,
	trust_word(name, 'whole') AS whole FROM trust WHERE run_id = :run AND name IS NOT NULL
	GROUP BY name HAVING SUM(value) > 0),
-- What was counted, with what was lost. A lost free belongs to an allocation that was counted.
wholes(whole, recorded, size, words) AS (SELECT 1, :calls, :calls + (SELECT TOTAL(value)
	FROM counters WHERE touches AND whole = 1 AND name <> 'lost_frees'), ' of the calls)'
	UNION ALL SELECT 2, :alloc_count, :alloc_count + (SELECT TOTAL(value) FROM counters
	WHERE touches AND whole = 2 AND name <> 'lost_frees'), ' of the allocations)'),
losses AS (SELECT c.*, MIN(1, IIF(recorded > 0, value / size, NULL)) AS share, words
	FROM counters c LEFT JOIN wholes USING (whole) WHERE touches
	UNION ALL SELECT w.name, 1, trust_word(w.name, 'touches'), 0, NULL, NULL
	FROM (SELECT IIF(:is_live, 'is_live', 'incomplete') AS name FROM runs
		WHERE run_id = :run AND (:is_live OR NOT complete)) w),
repairs AS (SELECT MIN(1, TOTAL(value) / (SELECT NULLIF(size, 0) FROM wholes WHERE whole = 1))
	AS share FROM counters WHERE name IN ('repaired_frames', 'orphan_exits')),
nameless AS (SELECT MIN(1, TOTAL(self_ns) / NULLIF(MAX(0, :self_ns), 0)) AS share FROM functions
	WHERE run_id = :run AND calls > 0 AND naming = 'none'),
shares(place, name, share, touches, medium, low, text, advice) AS (
	SELECT 1, 'header_share', share, 0, :header_share, NULL, people('percent', 100 * share)
		|| ' of the calls are to functions of system headers or libraries',
		words FROM headers, recipe
	UNION ALL SELECT 2, 'hook_share', h.share, 1, :hooks_medium, :hooks_low,
		people('percent', 100 * h.share) || IIF(error >= 0.0005,
		printf(' +-%.2g%%', 100 * error), '') || IIF(:roots_ready_ns > 0.005 * :recorded_ns,
		' of the time without CPU wait was spent in hooks, and is subtracted',
		' of the time was spent in hooks, and is subtracted'),
		-- tiny functions are only looked for if they will be told
		CASE WHEN h.share < :hooks_medium THEN NULL
		WHEN headers.share >= :header_share AND headers.share > 0 THEN words
		ELSE (SELECT IIF((SELECT COUNT(*) FROM tiny), 'Leave tiny functions out first: '
			|| '-finstrument-functions-exclude-function-list=NAMES',
			'No function is tiny: record at a level with a budget '
			|| '(PROFSHIM_LEVEL=detailed), or only a part (PROFSHIM_ONLY)')
			|| IFNULL(', such as ' || list || ' with ' || people('percent',
			100.0 * calls / :calls) || ' of the calls', '')
			|| IIF((SELECT COUNT(*) FROM tiny),
			'; ''prof-analyze exclude-list'' has all of them', '') FROM words) END
		FROM hooks h, headers, recipe
		WHERE NOT (:has_samples AND :sample_count >= :samples_enough)
	UNION ALL SELECT 3, name, share, touches, :lost_medium, :lost_low,
		trust_text(name, value) || ' (' || people('percent', 100 * share) || words,
		trust_word(name, 'advice') FROM losses WHERE share > 0
	UNION ALL SELECT 4, 'repaired_frames', share, 1, :repaired_medium, NULL,
		people('percent', 100 * share) || ' of the calls ended without an exit hook',
		trust_word('repaired_frames', 'advice') FROM repairs
	UNION ALL SELECT 5, 'unresolved_share', share, trust_word('unresolved_share', 'touches'),
		:unresolved_share, NULL, people('percent', 100 * share) || ' '
		|| trust_word('unresolved_share', 'many'), trust_word('unresolved_share', 'advice')
		FROM nameless)
SELECT name, 'ratio' AS unit, share AS value, IIF(share >= low, low, medium) AS "limit", touches,
	IIF(share >= low, 0, 1) AS most, text, advice, place FROM shares
WHERE share >= medium AND share > 0
-- A share of nothing says nothing.
UNION ALL SELECT name, 'count', CAST(value AS REAL), NULL, touches, IIF(whole, 0, 1),
	trust_text(name, value), trust_word(name, 'advice'), IIF(name IN ('is_live', 'incomplete'), 6, 3)
	FROM losses WHERE share IS NULL
ORDER BY most, place, name LIMIT 16;
