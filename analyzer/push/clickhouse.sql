-- SPDX-License-Identifier: MIT
-- What a fleet's ClickHouse is asked, in what its release 18.16 knows: no TTL, no
-- LowCardinality. Tables are those of the database in the URL.
--
-- A run is there when its row in profshim_runs is: it comes last. Rows of a key that come
-- twice, by two pushes at once, are one after the next merge, and at once with FINAL.

-- :name make_schema
CREATE TABLE IF NOT EXISTS profshim_schema (version UInt32) ENGINE = TinyLog

-- :name make_runs
CREATE TABLE IF NOT EXISTS profshim_runs (day Date, token String, label String,
	program String, command String, host String, cpu_model String, kernel String,
	build_id String, job String, rank Int32, level String, profshim_version String,
	started_ms Int64, wall_ns Int64, exit_code Int32, exit_signal Int32, complete UInt8,
	calls Int64, self_ns Int64, self_error_ns Int64, cpu_ns Int64, ready_ns Int64,
	blocked_ns Int64, alloc_count Int64, alloc_bytes Int64, free_count Int64,
	peak_bytes Int64, live_bytes Int64, lost Int64, stacks UInt32)
ENGINE = ReplacingMergeTree PARTITION BY day ORDER BY token

-- A function has one row for all its runs: its latest place.
-- :name make_functions
CREATE TABLE IF NOT EXISTS profshim_functions (hash Int64, name String, module String,
	file String, line Int32, component String, is_library UInt8)
ENGINE = ReplacingMergeTree ORDER BY hash

-- A stack is its caller's stack and a function; 0: there is no caller.
-- :name make_stacks
CREATE TABLE IF NOT EXISTS profshim_stacks (hash Int64, caller Int64, function Int64,
	depth Int32, kind UInt8)
ENGINE = ReplacingMergeTree ORDER BY hash

-- recording: 0 exact, 2 counted (times unknown), 3 off, 4 sampled; of several the most.
-- :name make_measurements
CREATE TABLE IF NOT EXISTS profshim_measurements (day Date, token String, stack Int64,
	calls Int64, total_ns Int64, total_error_ns Int64, self_ns Int64,
	self_error_ns Int64, self_cpu_ns Int64, self_ready_ns Int64, self_blocked_ns Int64,
	alloc_count Int64, alloc_bytes Int64, live_bytes Int64, at_peak_bytes Int64,
	recording UInt8)
ENGINE = ReplacingMergeTree PARTITION BY day ORDER BY (token, stack)

-- :name has_tables
SELECT count() FROM system.tables WHERE database = currentDatabase()
	AND name IN ('profshim_schema', 'profshim_runs', 'profshim_functions', 'profshim_stacks',
	'profshim_measurements')

-- :name version
SELECT max(version) FROM profshim_schema

-- :name there
SELECT count() FROM profshim_runs

-- How far a push of the run came: its rows go in the order of their stacks.
-- :name so_far
SELECT uniqExact(stack), max(stack) FROM profshim_measurements

-- :name server
SELECT version()

-- :name run_count
SELECT uniqExact(token) FROM profshim_runs

-- :name host_count
SELECT uniqExact(host) FROM profshim_runs

-- :name first_day
SELECT toString(min(day)) FROM profshim_runs

-- :name last_day
SELECT toString(max(day)) FROM profshim_runs

-- :name stack_count
SELECT uniqExact(hash) FROM profshim_stacks

-- :name row_count
SELECT count() FROM profshim_measurements

-- :name unfinished
SELECT count() FROM (SELECT DISTINCT token FROM profshim_measurements
	WHERE token NOT IN (SELECT token FROM profshim_runs))

-- :name stored_bytes
SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = currentDatabase()
	AND table LIKE 'profshim%'
