-- SPDX-License-Identifier: MIT
-- Why a run is incomplete or inexact, and what to do about it: doctor for a database.
-- :part examined
-- :takes run

-- trust_word() and trust_text() give the words of counters; package_of(path) gives the package
-- with the symbols of a file.
-- :code trust_words
-- :code packages

-- A killed collector may lose its samples; trust reports that.
-- :keep missing
SELECT 'no_calls' AS name WHERE :calls = 0
UNION ALL SELECT 'no_allocations' WHERE :alloc_count = 0
UNION ALL SELECT 'no_resources' FROM runs WHERE run_id = :run AND NOT EXISTS (SELECT 1
	FROM resources WHERE run_id = :run) AND IFNULL(:wall_ns, 0) >= 1000000000
	AND (complete OR :is_live AND NOT :is_attended);

-- :keep amiss
SELECT name, 0 AS value, NULL AS text, 0 AS place FROM missing
UNION ALL SELECT name, SUM(value), MAX(text), 1 FROM trust WHERE run_id = :run
	AND trust_word(name, 'meaning') IS NOT NULL GROUP BY name HAVING SUM(value) <> 0;

-- Only counters whose text says more than their meaning.
-- :note amiss
SELECT '{said}' AS text, IFNULL(IIF(trust_word(name, 'one') IS NULL, NULL,
	trust_text(name, value) || '. '), '') || trust_word(name, 'meaning')
	|| IIF(name IN ('note_setting_ignored', 'modules_over_limit', 'rules_without_functions',
		'unread_objects', 'lost_processes'), IFNULL(' (' || text || ')', ''), '')
	AS "said/text", IIF(trust_word(name, 'advice') IS NULL, NULL, '{advice_text}') AS advice, trust_word(name, 'advice') AS "advice_text/text",
	IIF(trust_word(name, 'weight') >= 2, 'warning', 'plain') AS level, name AS note
FROM amiss ORDER BY place, IIF(place, name, rowid);

-- :keep cut_off
SELECT p.pid, p.executable, p.exit_signal, p.started_ns, p.process_id FROM processes p
	JOIN runs r USING (run_id)
WHERE p.run_id = :run AND NOT p.complete AND NOT r.complete AND NOT :is_live;

-- :note process_end warning
SELECT 'Process {pid}' || IIF(executable IS NULL, '', ' ({program})')
	|| IIF(exit_signal <> 0, ' was killed by {signal}.',
	' did not end by itself, or its end was not seen.') AS text,
	'Everything up to that moment is there; calls that were open then are closed at that time.'
	AS advice, pid, executable AS "program/text", signal_name(exit_signal) AS signal
FROM cut_off ORDER BY started_ns, process_id;

-- :include recordings
-- :include quality

-- :note not_judged warning
SELECT 'Timing rules skipped: {unjudged}. How often they were called is exact.' AS text,
	'Record for longer, which gives more samples, or with fewer hooks: ''prof-analyze exclude-list''
	says which and how.' AS advice, unjudged FROM found WHERE unjudged IS NOT NULL;

-- :note hooks_waited
SELECT 'The machine was busy: hooks waited {waited_ns} for a CPU, and times with waits
	include that.'
	AS text, CAST(:hooks_waited_ns AS INTEGER) AS waited_ns
WHERE :calls AND :hooks_waited_ns > MAX(:self_error_ns, 0.1 * :self_ns);

-- What ran, and what recording it cost; the clock time of a run's threads contains all of it.
-- :values recorded = The recording
SELECT '{line}' AS "command:~command", command AS "-line/text",
	CASE WHEN length(started_utc) >= 19 AND substr(started_utc, 11, 1) = 'T'
	THEN substr(started_utc, 1, 10) || ' ' || substr(started_utc, 12, 8) || ' UTC'
	ELSE IFNULL(started_utc, 'not known') END || IIF(host <> '', ' on {host}', '')
	|| IIF(cpu_count <> 0, ', {cpu_count CPU}', '') AS "started:~started",
	host AS "-host/text", cpu_count AS "-cpu_count",
	IIF(:has_hooks, '{hook_percent} of the {whose}: ' || IIF(:has_samples,
	'by {sample_count sample}' || IIF(:sample_count, ', one for each {sample_ns} of CPU time, which
	cost {sample_percent} of it', ''), printf('%.3g', :pair_ns) || IIF(:pair_error_ns > 0,
	printf(' +-%.2g', :pair_error_ns), '') || 'ns per call' || IIF(:counted_percent > 0,
	'; {counted_percent} of the calls were only counted, for ' || printf('%.3g', :counted_ns)
	|| IIF(:counted_error_ns > 0, printf(' +-%.2g', :counted_error_ns), '') || 'ns', '')), NULL)
	AS "hooks:~hooks", CAST(:hooks_ns AS INTEGER) AS ".hooks_ns",
	CAST(:hooks_error_ns AS INTEGER) AS ".hooks_error_ns", :hooks_percent AS ".hook_percent",
	:hooks_error_percent AS ".hook_error_percent",
	IIF(:thread_count > 1, 'threads'' time', 'wall time') AS "-whose/text",
	:sample_count AS ".sample_count", CAST(:sample_ns AS INTEGER) AS ".sample_ns",
	:sample_percent AS ".sample_percent", :counted_percent AS ".counted_percent"
FROM runs WHERE run_id = :run;

-- How waits were seen and in how many processes. Recordings without waits have no row.
-- :note switches
SELECT 'Switches of threads were seen ' || group_concat(words || ' in '
	|| counted('process', count), ', ') || '.' AS text
FROM (SELECT w.words, SUM(t.value) AS count
	FROM (SELECT 1 AS place, 'switches_by_rseq' AS name, 'by restartable sequences' AS words
		UNION ALL SELECT 2, 'switches_by_perf', 'by perf events'
		UNION ALL SELECT 3, 'switches_unseen', 'not at all'
		UNION ALL SELECT 4, 'unsplit_processes', 'not looked for (PROFSHIM_WAITS=off)') w
	JOIN trust t ON t.name = w.name WHERE t.run_id = :run
	GROUP BY w.place HAVING SUM(t.value) > 0 ORDER BY w.place)
HAVING COUNT(*) > 0;

-- Files whose functions have no names, those with most first, and files whose functions are named
-- after a nearby symbol.
-- :keep nameless
SELECT m.path, m.trouble, SUM(f.naming = 'none') AS nameless, SUM(f.naming = 'near') AS near
FROM function f LEFT JOIN module m USING (module_id)
WHERE f.run_id = :run AND f.naming IN ('none', 'near')
GROUP BY f.module_id ORDER BY SUM(f.naming = 'none') DESC, COUNT(*) DESC, m.path;

-- :note no_symbols
WITH reasons(trouble, reason, advice) AS (VALUES
	('gone', 'there was no such file when the run was stored', 'Keep it until the run has ended.'
	|| ' In a container or chroot the collector must see it at the same path.'),
	('changed', 'another file lay at its path when the run was stored',
	'Do not rebuild or reinstall it before the run has ended.'),
	('unreadable', 'it could not be read when the run was stored',
	'Record as a user who may read it; it may also be damaged.'),
	('unknown', 'its path is unknown, or it was deleted and has no build-id',
	'Link it with a build-id (-Wl,--build-id), and keep it until the run has ended.'),
	('limit', 'reading it took too long, or failed',
	'Names of functions do not need debug information: strip -g keeps them.'),
	('', 'it is stripped', 'Do not strip it before the run has ended, or keep its '
	|| 'separate debug file where elfutils looks (/usr/lib/debug/.build-id).'))
SELECT '{nameless function} {nameless|has|have} no name: ' || IIF(path IS NULL, 'no file
	is mapped there, as with code generated at run time.', 'in {module}; {reason}.') AS
	text,
	IIF(path IS NULL, NULL, '{wanted}' || IIF(package IS NULL, '',
	' Its names are in the package {package}.')) AS advice, nameless AS "nameless/count",
	IIF(path = '', 'a file without a path', path) AS "module/text", reason, r.advice AS "wanted/text",
	package
FROM (SELECT *, IIF(reason = 'it is stripped' AND path LIKE '/usr/%', package_of(path), NULL)
	AS package FROM (SELECT n.*, r.reason, r.advice FROM nameless n JOIN reasons r
		ON r.trouble = CASE WHEN n.trouble IN (SELECT trouble FROM reasons)
		THEN n.trouble ELSE '' END WHERE n.nameless > 0 ORDER BY n.rowid LIMIT 10)) r;

-- :note no_symbols
SELECT '{count more function} without a name: in {files other file}.' AS text,
	SUM(nameless) AS "count/count", COUNT(*) AS "files/count"
FROM (SELECT nameless FROM nameless WHERE nameless > 0 ORDER BY rowid LIMIT -1 OFFSET 10)
HAVING COUNT(*) > 0;

-- :note system_functions
WITH shown AS (SELECT rowid AS place, IFNULL(path, '') AS path, near, package_of(path) AS package
	FROM nameless WHERE near > 0 ORDER BY rowid LIMIT 10),
packages AS (SELECT package FROM shown WHERE package IS NOT NULL GROUP BY package
	ORDER BY MIN(place) LIMIT 4)
SELECT '{near function} of the system''s libraries, which have no symbols,
	{near|is|are} named after an exported function nearby: {places}' || IIF(files > 10, ', and others.', '.')
	AS text, 'Nothing is wrong: their numbers are exact. To see their names, install '
	|| IIF(packages IS NULL, 'the debug symbols of these libraries and record again.',
	'{packages} (as Debian and Ubuntu call {package_count|it|them}) and record again.') AS advice,
	near AS "near/count", places AS "places/text", packages AS "packages/text", package_count
FROM (SELECT SUM(near) AS near, COUNT(*) AS files FROM nameless WHERE near > 0),
	(SELECT group_concat(people('count', near) || ' in ' || path, ', ') AS places FROM shown),
	(SELECT group_concat(package, ', ') AS packages, COUNT(*) AS package_count FROM packages)
WHERE near > 0;

-- The programs of a run in which nothing was recorded, if their files still exist.
-- :keep faulty
SELECT '' AS executable WHERE 0;

-- :code executables fills=faulty
SELECT executable AS "executable/text" FROM processes
WHERE run_id = :run AND executable IS NOT NULL AND (:calls = 0 OR :alloc_count = 0)
GROUP BY executable ORDER BY MIN(process_id);

-- :keep healthy
SELECT complete FROM runs WHERE run_id = :run AND NOT EXISTS (SELECT 1 FROM amiss)
	AND NOT EXISTS (SELECT 1 FROM cut_off) AND NOT EXISTS (SELECT 1 FROM faulty)
	AND NOT EXISTS (SELECT 1 FROM nameless WHERE nameless > 0);

-- :note not_stored warning
SELECT IIF(:is_live, 'The run has not ended yet.',
	'The run has not been stored: this comes from its spool.') AS text,
	IIF(:is_live, NULL, 'Remove the obstacle named above; any prof-analyze command then
	stores it.') AS advice
FROM healthy WHERE NOT complete;

-- :note healthy good
SELECT 'Nothing is wrong with this recording.' AS text FROM healthy WHERE complete;
