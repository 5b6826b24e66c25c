-- SPDX-License-Identifier: MIT
-- :rule I1 small-transfers: A file is read or written in tiny pieces
-- :about a function reads or writes a file a few bytes at a time, each time with a system
-- call
-- :says calls {callee}() {calls time} for {mean_bytes} each, {held} of the run
-- :needs calls wall libc
-- :specific 2
-- :explains R1 T1 W1
-- :limit least_calls = 1000 count: reads, or writes, of one function
-- :limit mean_bytes = 512 bytes: mean size of one, at most
-- :limit sequential = 0.5 ratio, at most 1: part of them that continue where the previous
-- one ended: others cannot be joined
-- :limit run_share = 0.05 ratio, at most 1: share of the run that they take
-- :limit page_bytes = 4096 bytes, at least 1: what one could move at the same cost
-- :evidence calls count, at least least_calls: calls
-- :evidence mean_bytes bytes, at most mean_bytes: mean size
-- :evidence sequential percent, at least sequential: sequential
-- :evidence held percent, at least run_share: share of the run
-- :evidence call_ns ns: time per call
-- :why it calls {callee}() for each small piece of {file}{others}, one system call at a
-- time
-- :advice {remedy}
-- :advice map the file: mmap()
-- :advice if the size is known beforehand, use one call for all of it
-- :speaks a function reads, or writes, at least 1,000 times, at most 512 bytes on average, half of
-- them sequentially, for 5 % of the run
-- :gains what pages of 4 KiB would save
-- :unseen whether each piece is needed at once

-- :query
-- Reads and writes that go straight to the kernel. If there are several files, the one with
-- most calls is told, and the path with most. Sequential data can be read in pieces of a page
-- or more.
WITH sums AS (SELECT path_id, by_path_id, callee, operation, file, COUNT(DISTINCT IFNULL(file, '')) AS files,
		SUM(calls) AS calls, SUM(bytes) AS bytes, SUM(sequential_calls) AS sequential_calls,
		SUM(ns) AS ns, MAX(calls)
	FROM moving WHERE kind = 'file' AND purpose = 'data' GROUP BY caller, callee)
SELECT path_id, by_path_id, callee, file, calls, ns / calls AS call_ns,
	CAST(bytes AS REAL) / calls AS mean_bytes, ns / :run_ns AS held,
	CAST(sequential_calls AS REAL) / calls AS sequential,
	ns * MAX(0, 1 - CAST(bytes AS REAL) / calls / :page_bytes) AS saving_ns, 2 AS confidence,
	CASE WHEN files > 1 THEN ' and ' || (files - 1) || ' more' ELSE '' END AS others,
	CASE operation WHEN 'read' THEN 'read into a large buffer: fread(), or your own'
		ELSE 'buffer the writes: fwrite(), writev()' END AS remedy
FROM sums WHERE calls > 0 ORDER BY ns DESC, path_id, callee;

-- :proof
SELECT i.name, i.file, i.calls, i.bytes, i.total_ns, i.small_calls, i.sequential_calls,
	i.largest_bytes FROM io i JOIN call_paths p USING (run_id, path_id) JOIN call_paths c
	ON c.run_id = i.run_id AND c.path_id = p.parent_path_id WHERE i.run_id = {run} AND
	c.function_id = (SELECT function_id FROM call_paths WHERE run_id = {run} AND path_id =
	{by_path_id}) ORDER BY i.total_ns DESC
