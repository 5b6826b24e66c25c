-- SPDX-License-Identifier: MIT
-- :rule I3 open-again: The same file is opened again and again
-- :about one file is opened and closed very often, and that takes much of the run
-- :says opens {name} {calls time}, {held} of the run
-- :needs calls wall libc
-- :specific 2
-- :explains R1 T1 W1
-- :limit least_opens = 100 count: openings of one file
-- :limit run_share = 0.03 ratio, at most 1: share of the run that opening and closing it
-- takes
-- :evidence calls count, at least least_opens: openings
-- :evidence held percent, at least run_share: opening and closing, share of the run
-- :evidence call_ns ns: each time
-- :why it opens {file} anew each time
-- :advice {keep}
-- :advice {again}
-- :speaks one file is opened at least 100 times, and opening and closing it take 3 % of the run
-- :gains all but one
-- :unseen whether the file changes meanwhile

-- :query
-- What a file is opened for again and again, by the path that opens it most.
WITH calls AS (SELECT path_id, by_path_id, file, operation, SUM(calls) AS calls, SUM(ns) AS ns
	FROM moving WHERE kind IN ('file', 'device') AND purpose IN ('open', 'close')
	GROUP BY 1, 2, 3, 4),
files AS (SELECT file, SUM(CASE operation WHEN 'open' THEN calls ELSE 0 END) AS opens,
		SUM(ns) AS ns FROM calls GROUP BY 1),
openers AS (SELECT path_id, by_path_id, file, MAX(calls) FROM calls WHERE operation = 'open' GROUP BY file),
moved AS (SELECT file, SUM(CASE operation WHEN 'write' THEN calls WHEN 'read' THEN -calls
		ELSE 0 END) AS writes FROM moving GROUP BY 1)
SELECT o.path_id, o.by_path_id, f.file, f.opens AS calls, f.ns / f.opens AS call_ns,
	f.ns / :run_ns AS held, f.ns * (1 - 1.0 / f.opens) AS saving_ns, 2 AS confidence,
	IIF(f.file LIKE '[%', 'the same file', REPLACE(f.file, RTRIM(f.file, REPLACE(f.file, '/', '')),
		'')) AS name,
	'keep it open between the calls' || CASE WHEN m.writes > 0 THEN ', and fflush() where others '
		|| 'must see what was written' WHEN m.writes < 0 THEN '; pread() or lseek() goes back'
		ELSE '' END AS keep,
	IIF(m.writes < 0, 'keep what was read, and ask stat() whether the file has changed', '') AS again
FROM files f JOIN openers o USING (file) JOIN moved m USING (file) WHERE f.opens > 0 ORDER BY f.ns DESC, f.file;

-- :proof
SELECT i.path_id, i.name, i.calls, i.failed_calls, i.total_ns FROM io i JOIN io o ON o.run_id =
	i.run_id AND o.file = i.file AND o.operation = 'open' JOIN call_paths p ON p.run_id = o.run_id
	AND p.path_id = o.path_id WHERE i.run_id = {run} AND p.parent_path_id = {by_path_id} GROUP BY 1,
	2 ORDER BY i.total_ns DESC
