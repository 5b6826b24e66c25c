-- SPDX-License-Identifier: MIT
-- What growth and suppressions of sites rest on.

-- What a suppression may match of a function.
-- :name functions
SELECT function_id, name, file, module FROM functions WHERE run_id = :run;

-- Live bytes of each site over the snapshots of a process, as they changed.
-- :name growth
SELECT n.site_id, s.path_id, s.file, s.line, n.snapshot_id, n.until_id, n.live_bytes
FROM snapshot_site n JOIN site s USING (site_id)
WHERE n.process_id = :process ORDER BY n.site_id, n.snapshot_id;

-- What was freed after the last snapshot of all that lived then.
-- :name freed_after_last
SELECT site_id, free_bytes FROM snapshot_free
WHERE process_id = :process AND freed_id >= :last ORDER BY site_id;
