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

-- How many processes saw their switches by what; all 0 of recordings that knew no waits.
-- :name switches
SELECT SUM(CASE name WHEN 'switches_by_rseq' THEN value ELSE 0 END) AS rseq,
	SUM(CASE name WHEN 'switches_by_perf' THEN value ELSE 0 END) AS perf,
	SUM(CASE name WHEN 'switches_unseen' THEN value ELSE 0 END) AS unseen,
	SUM(CASE name WHEN 'unsplit_processes' THEN value ELSE 0 END) AS off
FROM trust WHERE run_id = :run;
