-- SPDX-License-Identifier: MIT
-- What explains an empty or partial recording, besides trust.

-- Files with functions that have no name, most of them first.
-- :name modules
SELECT m.path, m.trouble, SUM(f.naming = 'none') AS nameless_count,
	SUM(f.naming = 'near') AS near_count
FROM function f LEFT JOIN module m USING (module_id)
WHERE f.run_id = :run AND f.naming IN ('none', 'near')
GROUP BY f.module_id ORDER BY SUM(f.naming = 'none') DESC, COUNT(*) DESC, m.path;

-- :name executables
SELECT executable FROM processes WHERE run_id = :run AND executable IS NOT NULL
GROUP BY executable ORDER BY MIN(process_id);

-- What told, in how many processes, that a thread had lost its CPU; of recordings that
-- knew no waits nothing.
-- :name switches
SELECT 'Switches of threads were seen ' || GROUP_CONCAT(words || ' in ' || PRINTF('%,d', count) ||
	CASE WHEN count = 1 THEN ' process' ELSE ' processes' END, ', ') || '.' AS text
FROM (SELECT w.words, SUM(t.value) AS count
	FROM (SELECT 1 AS place, 'switches_by_rseq' AS name, 'by restartable sequences' AS words
		UNION ALL SELECT 2, 'switches_by_perf', 'by perf events'
		UNION ALL SELECT 3, 'switches_unseen', 'not at all'
		UNION ALL SELECT 4, 'unsplit_processes', 'not looked for (PROFSHIM_WAITS=off)') w
	JOIN trust t ON t.name = w.name WHERE t.run_id = :run
	GROUP BY w.place HAVING SUM(t.value) > 0 ORDER BY w.place);
