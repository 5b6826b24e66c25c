-- SPDX-License-Identifier: MIT
-- Live bytes of sites over the snapshots of each process.

-- :name snapshots
SELECT process_id, snapshot_id, time_ns FROM snapshot WHERE run_id = :run
ORDER BY process_id, snapshot_id;

-- Sites that have at the last snapshot what the rule asks for, as they changed; and what
-- was freed after the last snapshot of all that lived then.
-- :name sites
SELECT n.site_id, s.path_id, s.file, s.line, n.snapshot_id, n.until_id, n.live_bytes,
	(SELECT TOTAL(x.free_bytes) FROM snapshot_free x WHERE x.process_id = :process
		AND x.site_id = n.site_id AND x.freed_id >= :last) AS freed_bytes
FROM snapshot_site n JOIN site s USING (site_id)
WHERE s.run_id = :run AND n.process_id = :process AND n.site_id IN (
	SELECT e.site_id FROM snapshot_site e WHERE e.process_id = :process
		AND e.snapshot_id <= :last AND e.until_id > :last AND e.live_bytes > 0)
ORDER BY n.site_id, n.snapshot_id;
