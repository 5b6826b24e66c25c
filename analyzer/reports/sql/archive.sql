-- SPDX-License-Identifier: MIT
-- :report archive: keep many runs in one file
-- :takes files limit sort
-- :argument add|list ARCHIVE DB...
-- :build archive_build
-- :example prof-analyze archive add history.db run.db --tag version=1.2
-- :about
-- 'add' puts all runs of the files into ARCHIVE and makes it if it is not there; a run that is in
-- it already is not added twice. 'list' shows the runs. Runs are kept whole, in about a tenth of
-- their files: every command that takes a run.db takes an archive, with --run for the run: its
-- number here, its label, or a tag such as version=1.2. 'history' compares the runs.
--
-- --tag NAME=VALUE says what the runs are of. A run that is there already gets the tag, too. Where
-- the program ran in a work tree of git that has not moved since, commit and branch are tags.

-- C fills the table added: what became of each file's run.
-- :note added human
SELECT counted('run', COUNT(*) FILTER (WHERE is_new)) || ' added' || CASE WHEN COUNT(*) FILTER (WHERE
	NOT is_new) THEN ', ' || COUNT(*) FILTER (WHERE NOT is_new) || ' already there' ELSE '' END
	|| '.' AS text FROM added HAVING COUNT(*) > 0;

-- :keep sums
SELECT COUNT(*) AS runs, TOTAL(size_bytes) AS file_bytes,
	(SELECT page_size FROM pragma_page_size) * (SELECT page_count FROM pragma_page_count) AS bytes,
	(SELECT COUNT(*) FROM subject) AS functions FROM packed;

-- :values sums machine
SELECT runs AS ".run_count", functions AS ".function_count", CAST(file_bytes AS INTEGER)
	AS ".recorded_bytes", bytes AS ".archive_bytes" FROM sums;

-- :note size human
SELECT 'The archive has ' || counted('run', runs) || ' in {archive_bytes}' || CASE WHEN file_bytes > 0
	THEN printf(', %.1f %% of what the recordings take.', 100.0 * bytes / file_bytes) ELSE '.' END
	AS text, bytes AS archive_bytes FROM sums WHERE runs;

-- :note no_runs
SELECT 'The archive holds no run.' AS text WHERE NOT EXISTS (SELECT 1 FROM archived);

-- Tags that a column of its own does not have.
-- :with others
SELECT run_id, GROUP_CONCAT(name || '=' || value, ' ') AS tags FROM tag
WHERE name NOT IN ('version', 'commit') GROUP BY run_id

-- :table runs main sort quiet rows=40 noun=run
SELECT run_id AS "run!:run_id",
	CASE WHEN length(started_utc) >= 16 THEN substr(replace(started_utc, 'T', ' '), 1, 16)
	ELSE started_utc END AS "started (UTC)!:~started", started_utc AS ".started_utc",
	(SELECT value FROM tag t WHERE t.run_id = a.run_id AND t.name = 'version') AS "version!:?version",
	(SELECT substr(value, 1, 10) FROM tag t WHERE t.run_id = a.run_id AND t.name = 'commit')
	AS "commit!:?~short_commit", (SELECT value FROM tag t WHERE t.run_id = a.run_id
	AND t.name = 'commit') AS ".commit",
	workload AS "workload!:workload", wall_ns AS "wall!:wall_ns", calls AS "calls:calls",
	peak_bytes AS "peak:peak_bytes", level AS "level:level", host AS "host:host",
	tags AS "tags:?tags", token AS ".token", length(p.rows) AS ".packed_bytes",
	size_bytes AS ".recorded_bytes", reference_id AS ".reference_id"
FROM archived a JOIN packed p USING (run_id) LEFT JOIN others USING (run_id)
WHERE NOT EXISTS (SELECT 1 FROM added) OR run_id IN (SELECT run_id FROM added)
ORDER BY run_id DESC;
