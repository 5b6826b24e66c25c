-- SPDX-License-Identifier: MIT
-- What prof-record asks of run.db.

-- :name last
SELECT max(run_id) FROM runs;

-- :name labelled
SELECT count(*) FROM runs WHERE label = :label;

-- :name relabel
UPDATE run SET label = :label WHERE run_id = :run;

-- :name tag
INSERT OR REPLACE INTO run_tag VALUES (:run, :kind, :name, :value);

-- :name plain
UPDATE run SET plain_of = (SELECT token FROM run WHERE run_id = :hooked) WHERE run_id = :run;

-- :name run
SELECT r.run_id, r.wall_ns, r.alloc_count, r.peak_bytes, r.complete,
	(SELECT sum(calls) FROM functions f WHERE f.run_id = r.run_id),
	EXISTS (SELECT 1 FROM processes p WHERE p.run_id = r.run_id AND p.pid = :program)
		AS is_ours
FROM runs r
WHERE r.run_id > :before
ORDER BY is_ours DESC, r.run_id DESC
LIMIT 1;
