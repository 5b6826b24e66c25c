-- SPDX-License-Identifier: MIT
-- The runs of a file, and which of them are of another build than one.

-- :name runs
SELECT run_id, label, command, job, rank FROM runs ORDER BY run_id;

-- :name other_builds
-- A program, or a library with hooks, that has the same place and another build-id.
SELECT b.run_id FROM processes b
JOIN (SELECT DISTINCT executable, build_id FROM processes WHERE run_id = :run) a
	ON b.executable = a.executable
WHERE b.build_id != a.build_id
UNION SELECT b.run_id FROM module b
JOIN (SELECT path, build_id FROM module WHERE run_id = :run AND module_id IN
	(SELECT module_id FROM function WHERE run_id = :run
	AND recording != 'unwound')) a
	ON b.path = a.path
WHERE b.build_id != a.build_id
UNION SELECT run_id FROM processes
WHERE process_id IN (SELECT MIN(process_id) FROM processes GROUP BY run_id)
	AND build_id != (SELECT build_id FROM processes WHERE run_id = :run
		ORDER BY process_id LIMIT 1);
