-- SPDX-License-Identifier: MIT
-- :rule I2 sync-storm: Files are synced again and again
-- :about a function waits for the disk with fsync() and the like many times
-- :says calls {callee}() {calls time}, {held} of the run
-- :needs calls wall libc
-- :specific 2
-- :explains R1 T1 W1
-- :limit least_calls = 20 count: syncs of one function
-- :limit run_share = 0.05 ratio, at most 1: share of the run that they take
-- :limit weight = 0.5 ratio, at most 1: part of the gain that counts towards the severity
-- :evidence calls count, at least least_calls: syncs
-- :evidence held percent, at least run_share: share of the run
-- :evidence call_ns ns: time per sync
-- :evidence ns ns: in all
-- :why it waits in {callee}() for the disk each time, for {file}{others}
-- :advice sync once for several changes
-- :advice a transaction, or a group commit, does that
-- :advice do not sync data that need not survive a crash: a temporary file, a cache
-- :advice use fdatasync() for a file of fixed size, or a log that is written in order
-- :speaks a function calls `fsync` and the like 20 times or more, for 5 % of the run
-- :gains all of it
-- :unseen which data must survive a crash

-- :query
WITH sums AS (SELECT path_id, by_path_id, callee, file, COUNT(DISTINCT IFNULL(file, '')) AS files,
		SUM(calls) AS calls, SUM(ns) AS ns, MAX(calls)
	FROM moving WHERE purpose = 'sync' GROUP BY caller, callee)
SELECT path_id, by_path_id, callee, file, calls, ns, ns / calls AS call_ns, ns / :run_ns AS held,
	ns AS saving_ns, 2 AS confidence,
	CASE WHEN files > 1 THEN ' and ' || (files - 1) || ' more' ELSE '' END AS others
FROM sums WHERE calls > 0 ORDER BY ns DESC, path_id, callee;

-- :proof
SELECT i.name, i.file, i.calls, i.bytes, i.total_ns, i.small_calls, i.sequential_calls,
	i.largest_bytes FROM io i JOIN call_paths p USING (run_id, path_id) JOIN call_paths c
	ON c.run_id = i.run_id AND c.path_id = p.parent_path_id WHERE i.run_id = {run} AND
	c.function_id = (SELECT function_id FROM call_paths WHERE run_id = {run} AND path_id =
	{by_path_id}) ORDER BY i.total_ns DESC
