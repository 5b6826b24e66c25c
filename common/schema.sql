-- SPDX-License-Identifier: MIT
--
-- run.db: what one or many recorded runs left behind.
--
-- One SQLite file (rollback journal), PRAGMA application_id 0x70726673 ("prfs"),
-- PRAGMA user_version = schema version. Written by profshim-collect (or by
-- prof-analyze when it takes over a spool), read by anyone.
--
-- The TABLES belong to the tool and may change with the schema version. The VIEWS at
-- the end are the promise: columns may be added, never renamed or removed.
--
-- Units: times are nanoseconds, sizes bytes, ids integers unique in the file; a
-- started_ns or time_ns counts from the start of its run. NULL means not known.
--
-- Times come twice: total_ns and self_ns are corrected for the cost of the hooks
-- (self = raw self - inner cost * calls - outer cost * calls of children - cost of
-- allocations, what that is below 0 being the caller's; total = sum of the corrected
-- selves of the subtree), raw_* are as the clock said. Where
-- calls were only counted (table mode), what they took is estimated: it is in their self
-- time and not in that of the path it was recorded in. self_error_ns and total_error_ns are
-- the half widths of the intervals that hold the true time in 95 of 100 cases.
--
-- Compilers put the hooks into INLINED COPIES of a function, too. The host of such a path
-- is the nearest one above it that was called. Paths have what the hooks saw, copies as
-- calls of their own. Functions and edges have it as the program was built: a copy's own
-- time is its host's, and a copy has no total_ns; hooked_* have what the hooks saw. Calls
-- and allocations are always those of the function itself.
--
-- A CALL PATH (path) is a chain of functions from a thread's root. Paths of all
-- threads and processes of a run are merged by their functions; path_lane has the
-- share of each lane (one thread, or several that followed each other, of one process or
-- of short ones of one program) when a run had more than one. kind is 'function' (instrumented: exact calls and times) or 'frame'
-- (a function without hooks, whose calls nobody counted: seen by unwinding from an
-- allocation, without times; or by samples, with times, below the function that called it;
-- calls are 0 in the tables and NULL in the views) or 'region' (named by the program: profshim_region_begin; exact; its function
-- row has its name and component and no module) or 'wait' or 'io' (a call of libc that
-- waits or moves data: exact). An ALLOCATION SITE is a source line of a path's own function.
--
-- peak: the run's peak is that of its process with the highest peak; at_peak_bytes is
-- what of it a site held at that moment, so the sites' at_peak_bytes add up to it.
-- A realloc of a live block counts as a free of the old and an allocation of the new.

CREATE TABLE run (
	run_id INTEGER PRIMARY KEY,
	token TEXT NOT NULL UNIQUE,	-- name of the spool directory it came from
	label TEXT,
	plain_of TEXT,			-- token of the run of the build with hooks, which has
					-- these times: of prof-record --plain
	command TEXT,			-- of the first process, shell-quoted
	cwd TEXT,
	host TEXT,
	cpu_count INTEGER,
	cpu_model TEXT,
	kernel TEXT,
	started_utc TEXT,		-- ISO 8601 with milliseconds and Z
	wall_ns INTEGER,
	exit_code INTEGER,
	exit_signal INTEGER,
	complete INTEGER NOT NULL,	-- 1: every process ended by itself and was seen to
	level TEXT,
	shim_version TEXT,
	clock TEXT,			-- 'tsc' or 'monotonic'
	ticks_per_second REAL,
	inner_cost_ns REAL,		-- of a hook pair, inside the timed interval
	outer_cost_ns REAL,		-- of a hook pair, outside it
	hook_cost_error_ns REAL,	-- of their sum; half of a 95 % interval, as those below
	split_error REAL,		-- of the share of inner_cost_ns in it
	counted_cost_ns REAL, counted_cost_error_ns REAL, -- of a call that is only counted
	alloc_cost_ns REAL, alloc_cost_error_ns REAL,	-- of recording a malloc and its free
	overhead_percent REAL,		-- the budget; NULL: none
	alloc_count INTEGER, alloc_bytes INTEGER,
	free_count INTEGER, free_bytes INTEGER,
	peak_bytes INTEGER,
	live_bytes_at_exit INTEGER,
	peak_process_id INTEGER,	-- the process whose peak it is
	job TEXT,			-- that a launcher (mpirun, srun) began its first
					-- process for; NULL: none did
	rank INTEGER,			-- of that process in the job, from 0
	rank_count INTEGER		-- of the job, recorded or not
);

-- What was said of a run from outside, whoever says it. kind is 'parameter' (name and value
-- of one that prof-record --sweep varied), 'sweep' (the one row 'command': the command with
-- placeholders, {n}, by which runs belong together) or 'tag'.
CREATE TABLE run_tag (
	run_id INTEGER NOT NULL REFERENCES run,
	kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
	PRIMARY KEY (run_id, kind, name)
) WITHOUT ROWID;

CREATE TABLE process (
	process_id INTEGER PRIMARY KEY,
	run_id INTEGER NOT NULL REFERENCES run,
	parent_process_id INTEGER,
	pid INTEGER NOT NULL,
	executable TEXT,
	build_id TEXT,			-- hexadecimal
	command TEXT,
	started_ns INTEGER,
	wall_ns INTEGER,
	exit_code INTEGER,
	exit_signal INTEGER,
	complete INTEGER NOT NULL,
	alloc_count INTEGER, alloc_bytes INTEGER, free_count INTEGER,
	peak_bytes INTEGER, live_bytes_at_exit INTEGER,
	job TEXT, rank INTEGER		-- as of a run: a launcher may be recorded with
					-- its ranks
);
CREATE INDEX process_run ON process(run_id);

CREATE TABLE lane (
	lane_id INTEGER PRIMARY KEY,
	run_id INTEGER NOT NULL REFERENCES run,
	process_id INTEGER NOT NULL REFERENCES process
);

CREATE TABLE thread (
	thread_id INTEGER PRIMARY KEY,
	run_id INTEGER NOT NULL REFERENCES run,
	process_id INTEGER NOT NULL REFERENCES process,
	lane_id INTEGER NOT NULL REFERENCES lane,
	tid INTEGER,
	name TEXT,
	started_ns INTEGER,
	wall_ns INTEGER,
	cpu_ns INTEGER,			-- NULL: not known
	ready_ns INTEGER,		-- wanted a CPU and had none
	blocked_ns INTEGER,		-- the rest: slept
	has_ended_process INTEGER NOT NULL DEFAULT 0	-- it called exit() or the like
);
CREATE INDEX thread_run ON thread(run_id);
CREATE INDEX thread_lane ON thread(lane_id);

CREATE TABLE module (
	module_id INTEGER PRIMARY KEY,
	run_id INTEGER NOT NULL REFERENCES run,
	path TEXT,
	build_id TEXT,
	symbols TEXT,		-- 'debug', 'symtab', 'dynsym' or 'none': best source found
	trouble TEXT		-- why names are missing: 'gone' or 'changed' file, 'unreadable',
				-- 'unknown' (no path, or nothing to know the file by) or
				-- 'limit' (more to read than is read); NULL: nothing wrong
);

CREATE TABLE function (
	function_id INTEGER PRIMARY KEY,
	run_id INTEGER NOT NULL REFERENCES run,
	name TEXT NOT NULL,		-- for people: one spelling, without parameters where no
					-- other function of the run has it; see naming
	full_name TEXT,			-- demangled, with all it has; NULL: as name
	linkage_name TEXT,
	module_id INTEGER REFERENCES module,
	file TEXT, line INTEGER,	-- of the definition
	component TEXT,			-- of a region
	calls INTEGER NOT NULL,
	inlined_calls INTEGER NOT NULL DEFAULT 0,	-- of them, those of inlined copies
	unwound_count INTEGER NOT NULL DEFAULT 0,	-- ended without their own exit
	total_ns INTEGER NOT NULL,	-- as built; outermost activations only
	self_ns INTEGER NOT NULL,	-- as built
	self_error_ns INTEGER NOT NULL DEFAULT 0, total_error_ns INTEGER NOT NULL DEFAULT 0,
	cpu_ns INTEGER NOT NULL DEFAULT 0, ready_ns INTEGER NOT NULL DEFAULT 0,
	blocked_ns INTEGER NOT NULL DEFAULT 0, self_cpu_ns INTEGER NOT NULL DEFAULT 0,
	self_ready_ns INTEGER NOT NULL DEFAULT 0, self_blocked_ns INTEGER NOT NULL DEFAULT 0,
	self_ready_error_ns INTEGER NOT NULL DEFAULT 0,
	raw_total_ns INTEGER NOT NULL, raw_self_ns INTEGER NOT NULL,
	hooked_total_ns INTEGER NOT NULL DEFAULT 0,	-- as the hooks saw it, inlined
	hooked_self_ns INTEGER NOT NULL DEFAULT 0,	-- copies as calls of their own
	hooked_raw_total_ns INTEGER NOT NULL DEFAULT 0,
	hooked_raw_self_ns INTEGER NOT NULL DEFAULT 0,
	min_ns INTEGER, p50_ns INTEGER, p90_ns INTEGER, p95_ns INTEGER, p99_ns INTEGER,
	max_ns INTEGER,			-- of single calls, children included, inner cost off
	alloc_count INTEGER NOT NULL, alloc_bytes INTEGER NOT NULL, -- made by itself
	recording TEXT NOT NULL,	-- 'exact', 'sampled', 'counted' or 'off'; 'unwound' for
					-- functions seen in allocation stacks only
	histogram BLOB,			-- pairs of varints (LEB128): bucket step, count;
					-- buckets as in segment.h, in clock ticks
	naming TEXT NOT NULL DEFAULT 'exact',	-- 'near': name is a hint where in one of
					-- the system's libraries it is, and may stand for
					-- several functions; 'none': name is its address
	is_library INTEGER NOT NULL DEFAULT 0,	-- see collector/symbols/library.h
	owned_alloc_count INTEGER NOT NULL DEFAULT 0,	-- made by itself, and by libraries
	owned_alloc_bytes INTEGER NOT NULL DEFAULT 0	-- on its behalf
);
CREATE INDEX function_run ON function(run_id);

CREATE TABLE path (
	path_id INTEGER PRIMARY KEY,
	run_id INTEGER NOT NULL,
	parent_path_id INTEGER,		-- NULL: called by nobody known
	depth INTEGER NOT NULL,		-- 1 for roots
	function_id INTEGER NOT NULL,
	kind INTEGER NOT NULL,		-- 0 function, 1 frame, 2 region, 3 wait, 4 io
	host_path_id INTEGER,		-- NULL: itself; else its calls are of inlined copies
	call_file TEXT,			-- NULL: that of the function above, if there is a line
	call_line INTEGER,		-- of the call, or one of them; NULL: not known
	call_lines INTEGER,		-- so many lines are known; NULL: none or one
	calls INTEGER NOT NULL,
	inlined_calls INTEGER NOT NULL DEFAULT 0,
	unwound_count INTEGER NOT NULL DEFAULT 0,
	recording INTEGER NOT NULL DEFAULT 0,	-- 0 exact, 2 counted (times not known), 3 off,
					-- 4 sampled
	total_ns INTEGER NOT NULL, self_ns INTEGER NOT NULL,
	self_error_ns INTEGER NOT NULL DEFAULT 0, total_error_ns INTEGER NOT NULL DEFAULT 0,
	cpu_ns INTEGER NOT NULL DEFAULT 0, ready_ns INTEGER NOT NULL DEFAULT 0,
	blocked_ns INTEGER NOT NULL DEFAULT 0, self_cpu_ns INTEGER NOT NULL DEFAULT 0,
	self_ready_ns INTEGER NOT NULL DEFAULT 0, self_blocked_ns INTEGER NOT NULL DEFAULT 0,
	self_ready_error_ns INTEGER NOT NULL DEFAULT 0,
	raw_total_ns INTEGER NOT NULL, raw_self_ns INTEGER NOT NULL,
	min_ns INTEGER, max_ns INTEGER,
	alloc_count INTEGER NOT NULL, alloc_bytes INTEGER NOT NULL,
	live_bytes INTEGER NOT NULL,
	at_peak_bytes INTEGER NOT NULL
);
CREATE INDEX path_run ON path(run_id);

CREATE TABLE path_lane (
	path_id INTEGER NOT NULL,
	lane_id INTEGER NOT NULL,
	calls INTEGER NOT NULL, total_ns INTEGER NOT NULL, self_ns INTEGER NOT NULL,
	self_error_ns INTEGER NOT NULL DEFAULT 0, total_error_ns INTEGER NOT NULL DEFAULT 0,
	inlined_calls INTEGER NOT NULL DEFAULT 0,
	unwound_count INTEGER NOT NULL DEFAULT 0,
	cpu_ns INTEGER NOT NULL DEFAULT 0, ready_ns INTEGER NOT NULL DEFAULT 0,
	blocked_ns INTEGER NOT NULL DEFAULT 0, self_cpu_ns INTEGER NOT NULL DEFAULT 0,
	self_ready_ns INTEGER NOT NULL DEFAULT 0, self_blocked_ns INTEGER NOT NULL DEFAULT 0,
	self_ready_error_ns INTEGER NOT NULL DEFAULT 0,
	alloc_count INTEGER NOT NULL, alloc_bytes INTEGER NOT NULL,
	PRIMARY KEY (path_id, lane_id)
) WITHOUT ROWID;

-- A function that a process recorded with less than a frame for each call, now or for a
-- time; see common/segment_recording.h.
CREATE TABLE mode (
	run_id INTEGER NOT NULL, process_id INTEGER NOT NULL,
	function_id INTEGER,		-- NULL: no call of it is in the tree
	name TEXT NOT NULL,
	recording INTEGER NOT NULL,	-- at the end; as of a path
	least INTEGER NOT NULL,		-- the one with the least detail it has had
	reason INTEGER NOT NULL,	-- 0 budget, 2 asked
	since_ns INTEGER,		-- of the last change
	changes INTEGER NOT NULL,
	counted_calls INTEGER NOT NULL,
	site_count INTEGER NOT NULL, early_site_count INTEGER NOT NULL
);
CREATE INDEX mode_run ON mode(run_id);

-- Caller and callee by function, as built; total_ns counts the outermost occurrence of
-- the edge on a path only, so recursion does not multiply it.
CREATE TABLE edge (
	run_id INTEGER NOT NULL,
	caller_id INTEGER NOT NULL,
	callee_id INTEGER NOT NULL,
	calls INTEGER NOT NULL,
	inlined_calls INTEGER NOT NULL DEFAULT 0,
	total_ns INTEGER NOT NULL,
	cpu_ns INTEGER NOT NULL DEFAULT 0, ready_ns INTEGER NOT NULL DEFAULT 0,
	blocked_ns INTEGER NOT NULL DEFAULT 0,	-- of total_ns
	PRIMARY KEY (run_id, caller_id, callee_id)
) WITHOUT ROWID;

-- What calls of libc moved that are paths of kind 'io', and what their descriptors led to:
-- a file by its path when it was opened, a peer, a pipe. target_id counts from 0 in each
-- run, 0 being what is not known. Of a process with very many targets the later ones are
-- told together, by directory or kind.
CREATE TABLE target (
	run_id INTEGER NOT NULL, target_id INTEGER NOT NULL,
	kind INTEGER NOT NULL,		-- 0 unknown, 1 file, 2 device, 3 pipe, 4 socket,
					-- 5 other, 6 calls that name a path
	name TEXT NOT NULL,
	PRIMARY KEY (run_id, target_id)
);
CREATE TABLE transfer (
	run_id INTEGER NOT NULL, process_id INTEGER NOT NULL, path_id INTEGER NOT NULL,
	target_id INTEGER NOT NULL,
	is_source INTEGER NOT NULL DEFAULT 0, -- of calls that copy: 1, from there
	calls INTEGER NOT NULL,		-- that have returned
	bytes INTEGER NOT NULL,		-- moved
	total_ns INTEGER NOT NULL,
	small_calls INTEGER NOT NULL,	-- that moved less than 4 KiB, and something
	sequential_calls INTEGER NOT NULL, -- that moved what came next on the descriptor
	failed_calls INTEGER NOT NULL,
	largest_bytes INTEGER NOT NULL,	-- moved by one call
	PRIMARY KEY (run_id, process_id, path_id, target_id, is_source)
) WITHOUT ROWID;

-- SAMPLES of CPU time, where the kernel allows them: on which call path a thread was, by
-- its innermost call with a frame, and in which function the instruction was, which may
-- be one that the path's function called. kind is 'code', 'hooks' (of the recorder),
-- 'stubs' (its code that only counts) or 'folded' (the address is not known). name is the
-- innermost inlined copy, outer_name the function with the address. Programs without hooks
-- are sampled from outside; their samples have no path, and paths their times as far as
-- others of their samples have stacks.
CREATE TABLE sample (
	run_id INTEGER NOT NULL,
	path_id INTEGER,		-- NULL: no call was open
	kind INTEGER NOT NULL,		-- 0 code, 1 hooks, 2 stubs, 3 folded
	function_id INTEGER,		-- of the copy; NULL: no path is of it
	name TEXT, outer_name TEXT, module TEXT, file TEXT, line INTEGER,
	count INTEGER NOT NULL,
	cpu_ns INTEGER NOT NULL,	-- sum of the periods
	is_plain INTEGER NOT NULL DEFAULT 0 -- 1: of a program without hooks
);
CREATE INDEX sample_run ON sample(run_id);

CREATE TABLE site (
	site_id INTEGER PRIMARY KEY,
	run_id INTEGER NOT NULL,
	path_id INTEGER NOT NULL,
	file TEXT, line INTEGER,	-- of the innermost code that is not a library's
	call_file TEXT, call_line INTEGER,	-- of the call of the innermost function on the
					-- path with hooks, as a path has them
	alloc_count INTEGER NOT NULL, alloc_bytes INTEGER NOT NULL,
	free_count INTEGER NOT NULL, free_bytes INTEGER NOT NULL,
	live_count INTEGER NOT NULL, live_bytes INTEGER NOT NULL,
	peak_bytes INTEGER NOT NULL,	-- its own highest; a sum over threads
	at_peak_bytes INTEGER NOT NULL, at_peak_count INTEGER NOT NULL,
	temporary_count INTEGER NOT NULL,
	realloc_count INTEGER NOT NULL, realloc_copied_bytes INTEGER NOT NULL,
	cross_thread_free_count INTEGER NOT NULL,
	largest_bytes INTEGER NOT NULL,
	realloc_old_bytes INTEGER	-- of the blocks that its reallocs began with
);
CREATE INDEX site_run ON site(run_id);

-- A LOCK that the program took or waited for, or something else that it waited for until
-- another thread signalled; lock_id counts from 1 in its run. What waits
-- took is from when the lock was not free to when the call returned, which may have failed.
-- Holds are those that began with a wait: how long a lock is held that nobody waited for is
-- not asked.
CREATE TABLE lock (
	run_id INTEGER NOT NULL, lock_id INTEGER NOT NULL,
	process_id INTEGER NOT NULL,
	name TEXT NOT NULL,		-- its variable, its block or who used it first,
	named_by TEXT NOT NULL,		-- which is told here: 'variable', 'block', 'path';
					-- or 'kind', of which a process has one
	module TEXT,			-- of the variable
	kind TEXT NOT NULL,		-- 'mutex', 'rwlock', 'spin'; 'condition',
					-- 'semaphore', 'barrier', 'thread' (its end),
					-- 'signal' (of the kernel's)
	address INTEGER NOT NULL,
	lock_count INTEGER NOT NULL,	-- taken without waiting; locks only
	wait_count INTEGER NOT NULL, wait_ns INTEGER NOT NULL,
	p50_wait_ns INTEGER, p95_wait_ns INTEGER, p99_wait_ns INTEGER,
	max_wait_ns INTEGER NOT NULL,
	hold_count INTEGER NOT NULL, hold_ns INTEGER NOT NULL,
	max_hold_ns INTEGER NOT NULL,
	first_path_id INTEGER,		-- where it was used first
	block_path_id INTEGER, block_offset INTEGER NOT NULL	-- allocated there
);
CREATE INDEX lock_run ON lock(run_id, lock_id);

-- Waits for a lock by who waited where, and whose it was when the wait began: where that
-- thread was then, and where it had taken the lock; of locks that several have at a time
-- one of them. NULL: not known (its owner is in another process, or gave it up meanwhile).
-- Of conditions and semaphores the holder is who signalled last before the wait was over,
-- of barriers who came last, of the end of a thread that thread, and what it began with.
CREATE TABLE lock_wait (
	run_id INTEGER NOT NULL, lock_id INTEGER NOT NULL,
	waiter_lane_id INTEGER NOT NULL, holder_lane_id INTEGER,
	waiter_path_id INTEGER, holder_path_id INTEGER, taken_path_id INTEGER,
	wait_count INTEGER NOT NULL, wait_ns INTEGER NOT NULL, max_wait_ns INTEGER NOT NULL
);
CREATE INDEX lock_wait_run ON lock_wait(run_id);

-- A wait for another thread, one by one, and the lane that was waited for: who had the
-- lock when the wait began, who signalled, came last or ended; or a call of libc in which
-- the thread slept for 1 ms or longer: the end of it, for so long, and the call's path;
-- for what another thread wrote to a pipe, however short, and that thread. Of the waits of a thread
-- there is room for some thousands: then stall_window says which of them are here, those
-- that touch a stretch of window_ns from first_ns, or from any number of period_ns later.
CREATE TABLE stall (
	run_id INTEGER NOT NULL, process_id INTEGER NOT NULL, lane_id INTEGER NOT NULL,
	started_ns INTEGER NOT NULL, wait_ns INTEGER NOT NULL,
	kind TEXT NOT NULL,		-- as of a lock; 'sleep', 'call': of libc
	lock_id INTEGER,
	waiter_path_id INTEGER, holder_lane_id INTEGER,
	holder_path_id INTEGER, taken_path_id INTEGER	-- as of a lock_wait
);
CREATE INDEX stall_run ON stall(run_id, lane_id, started_ns);
CREATE TABLE stall_window (
	run_id INTEGER PRIMARY KEY,
	first_ns REAL NOT NULL, window_ns REAL NOT NULL, period_ns REAL NOT NULL
);

-- A SNAPSHOT is of one process; number counts from 1 in it, and snapshot_ids of one
-- process rise with it. snapshot_site and snapshot_path hold what had been reached at a
-- snapshot, counted from the start of the process. A row is valid for the snapshots
-- [snapshot_id, until_id) of its process: what does not change is not repeated. Before
-- its first row a site or path has nothing.
--
-- snapshot_free says how long blocks lived: free_count blocks of the site that were
-- allocated after snapshot born_id (0: before the first) and before the next one, were
-- freed after snapshot freed_id and before the next one. Blocks freed before the next
-- snapshot after their birth are not in it. So of what a site allocated between the
-- snapshots A and B there survives at C: live(B) - live(A) + [born before A, freed between
-- A and B] - [born between A and B, freed between B and C].
CREATE TABLE snapshot (
	snapshot_id INTEGER PRIMARY KEY,
	run_id INTEGER NOT NULL, process_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	label TEXT NOT NULL,
	taken_by TEXT NOT NULL,		-- 'call', 'signal', 'function', 'interval' or
					-- 'command'
	time_ns INTEGER NOT NULL,
	live_count INTEGER NOT NULL, live_bytes INTEGER NOT NULL,
	alloc_count INTEGER NOT NULL, alloc_bytes INTEGER NOT NULL,
	rss_bytes INTEGER		-- NULL: not known
);
CREATE INDEX snapshot_run ON snapshot(run_id);
CREATE TABLE snapshot_site (
	process_id INTEGER NOT NULL, site_id INTEGER NOT NULL,
	snapshot_id INTEGER NOT NULL, until_id INTEGER NOT NULL,
	live_count INTEGER NOT NULL, live_bytes INTEGER NOT NULL,
	alloc_count INTEGER NOT NULL, alloc_bytes INTEGER NOT NULL,
	PRIMARY KEY (process_id, site_id, snapshot_id)
) WITHOUT ROWID;
CREATE TABLE snapshot_path (
	process_id INTEGER NOT NULL, path_id INTEGER NOT NULL,
	snapshot_id INTEGER NOT NULL, until_id INTEGER NOT NULL,
	calls INTEGER NOT NULL,
	unwound_count INTEGER NOT NULL DEFAULT 0,
	total_ns INTEGER NOT NULL, self_ns INTEGER NOT NULL,
	-- a wait that was not over counts up to the snapshot
	cpu_ns INTEGER NOT NULL DEFAULT 0, ready_ns INTEGER NOT NULL DEFAULT 0,
	blocked_ns INTEGER NOT NULL DEFAULT 0, self_cpu_ns INTEGER NOT NULL DEFAULT 0,
	self_ready_ns INTEGER NOT NULL DEFAULT 0, self_blocked_ns INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (process_id, path_id, snapshot_id)
) WITHOUT ROWID;
CREATE TABLE snapshot_free (
	process_id INTEGER NOT NULL, site_id INTEGER NOT NULL,
	born_id INTEGER NOT NULL, freed_id INTEGER NOT NULL,
	free_count INTEGER NOT NULL, free_bytes INTEGER NOT NULL,
	PRIMARY KEY (process_id, site_id, born_id, freed_id)
) WITHOUT ROWID;

-- A STEP lasts from one profshim_step() of its name to the next of the same thread, so a
-- thread has one step less than marks. step and counter have the latest 512 of each name
-- in a process, and the extremes: a loop may be long. The sums of all are in series.
-- An index counts from 1 in its lane.
CREATE TABLE step (
	run_id INTEGER NOT NULL, process_id INTEGER NOT NULL, name TEXT NOT NULL,
	step_index INTEGER NOT NULL, started_ns INTEGER NOT NULL,
	duration_ns INTEGER NOT NULL,
	lane_id INTEGER NOT NULL,
	live_bytes INTEGER NOT NULL,	-- of the process, at its end
	cpu_ns INTEGER, ready_ns INTEGER, blocked_ns INTEGER	-- of duration_ns; NULL: not
					-- known
);
CREATE TABLE counter (
	run_id INTEGER NOT NULL, process_id INTEGER NOT NULL, name TEXT NOT NULL,
	counter_index INTEGER NOT NULL,
	time_ns INTEGER NOT NULL, value REAL NOT NULL,
	lane_id INTEGER NOT NULL,
	live_bytes INTEGER NOT NULL	-- of the process, then
);

-- A function, or step, that was STUDIED, and calls of it that were kept with what was done below
-- them (of a step: below the innermost call that was open at both of its marks): the slowest (by their time less ready_ns) and of the others the ones in the middle of
-- those kept by chance. A call within another call of the function is a part of that one.
-- study_id counts from 1 in its run, case_id in its study, the slowest first.
CREATE TABLE study (
	run_id INTEGER NOT NULL, study_id INTEGER NOT NULL,
	path_id INTEGER NOT NULL,	-- one of the function's paths, or the steps'; 0: no call held them
	step TEXT,			-- its name; NULL: a function's
	reason INTEGER NOT NULL,	-- 1 asked for, 2 found: its times have a tail
	started_ns INTEGER NOT NULL,
	calls INTEGER NOT NULL,		-- since then, outermost
	total_ns INTEGER NOT NULL,	-- of them, as the clock said
	alone_calls INTEGER NOT NULL,	-- that had the chance to be kept as usual ones
	missed_calls INTEGER NOT NULL,	-- slow ones that were not looked at
	ready_calls INTEGER NOT NULL,	-- slow only as long as they waited for a CPU: not kept
	ready_ns INTEGER NOT NULL,	-- that these waited
	folded_paths INTEGER NOT NULL,	-- below it, that there was no room to remember
	cost_ns INTEGER NOT NULL,	-- what looking took; in no call's time
	PRIMARY KEY (run_id, study_id)
) WITHOUT ROWID;
CREATE TABLE study_case (
	run_id INTEGER NOT NULL, study_id INTEGER NOT NULL, case_id INTEGER NOT NULL,
	process_id INTEGER NOT NULL, lane_id INTEGER NOT NULL, path_id INTEGER NOT NULL,
	is_slow INTEGER NOT NULL,
	number INTEGER NOT NULL,	-- of the study's calls in the lane, from 1
	started_ns INTEGER NOT NULL,
	duration_ns INTEGER NOT NULL,	-- inner cost off
	ready_ns INTEGER NOT NULL,	-- of it, waited for a CPU
	beside_calls INTEGER NOT NULL,	-- right before it, on the same path: in its parts, too
	beside_ns INTEGER NOT NULL,
	folded_parts INTEGER NOT NULL,	-- that there was no room for
	PRIMARY KEY (run_id, study_id, case_id)
) WITHOUT ROWID;
-- What a path did in a case; that of the function itself is among them. A path that is not
-- there did nothing, or is one of the folded parts.
CREATE TABLE study_part (
	run_id INTEGER NOT NULL, study_id INTEGER NOT NULL, case_id INTEGER NOT NULL,
	path_id INTEGER NOT NULL,
	is_first INTEGER NOT NULL,	-- nobody in the thread had been there before
	calls INTEGER NOT NULL,
	total_ns INTEGER NOT NULL, self_ns INTEGER NOT NULL,	-- corrected
	alloc_count INTEGER NOT NULL, alloc_bytes INTEGER NOT NULL,	-- its own, as the rest
	ready_ns INTEGER NOT NULL, blocked_ns INTEGER NOT NULL,
	PRIMARY KEY (run_id, study_id, case_id, path_id)
) WITHOUT ROWID;

CREATE TABLE resource (
	run_id INTEGER NOT NULL, process_id INTEGER NOT NULL, time_ns INTEGER NOT NULL,
	cpu_percent REAL, rss_bytes INTEGER, minor_faults INTEGER, major_faults INTEGER,
	read_bytes INTEGER, write_bytes INTEGER, thread_count INTEGER,
	cpu_wait_ns INTEGER		-- since the process began its threads stood ready to
					-- run without a CPU for at least so long, added up
);
CREATE INDEX resource_run ON resource(run_id);

-- What NVIDIA's driver says (NVML) of a process on a GPU, four times a second or less;
-- no rows without its library. device is the driver's number, in the order of PCI
-- addresses. utilisation_percent: the share of the second before in which a kernel ran on
-- the GPU's multiprocessors; asked for once a second, NULL in between.
CREATE TABLE gpu_sample (
	run_id INTEGER NOT NULL, process_id INTEGER NOT NULL, time_ns INTEGER NOT NULL,
	device INTEGER NOT NULL, memory_bytes INTEGER, utilisation_percent REAL
);
CREATE INDEX gpu_sample_run ON gpu_sample(run_id);
-- All steps or counters of one name in a process, and in the run (process_id NULL).
-- Values are ns or what the program gave; percentiles are at most 6.25 % off. sum of
-- steps is exact up to 2^53 ticks. In views of_process_id is the process of the series.
CREATE TABLE series (
	series_id INTEGER PRIMARY KEY,
	run_id INTEGER NOT NULL, process_id INTEGER,
	kind INTEGER NOT NULL,		-- 1 step, 2 counter
	name TEXT NOT NULL,
	mark_count INTEGER NOT NULL,	-- calls of profshim_step() or profshim_counter()
	value_count INTEGER NOT NULL,	-- of steps: less one for each thread
	sum REAL NOT NULL,
	mean REAL, min REAL, p50 REAL, p90 REAL, p95 REAL, p99 REAL, max REAL,
	first_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL,	-- marks
	growth_bytes INTEGER NOT NULL,	-- of live memory from the first mark to the last
	cpu_ns INTEGER, ready_ns INTEGER, blocked_ns INTEGER	-- of steps; NULL: not known
);
CREATE INDEX series_run ON series(run_id);
-- The five highest and lowest values, the most extreme first. time_ns: when the step
-- began or the counter was set.
CREATE TABLE series_extreme (
	series_id INTEGER NOT NULL, is_highest INTEGER NOT NULL, rank INTEGER NOT NULL,
	process_id INTEGER NOT NULL, lane_id INTEGER NOT NULL, number INTEGER NOT NULL,
	time_ns INTEGER NOT NULL, value REAL NOT NULL, live_bytes INTEGER NOT NULL,
	cpu_ns INTEGER, ready_ns INTEGER, blocked_ns INTEGER,	-- of steps; NULL: not known
	PRIMARY KEY (series_id, is_highest, rank)
) WITHOUT ROWID;
-- Where threads were when they waited in steps: in all of the name (rank 0), on up to 8
-- paths of each thread and 64 in all, and in the slowest (rank as in series_extreme), on the 4 on which
-- it was longest. What is missing to the step's own ready_ns and blocked_ns was on others.
CREATE TABLE series_wait (
	series_id INTEGER NOT NULL, rank INTEGER NOT NULL, path_id INTEGER NOT NULL,
	ready_ns INTEGER NOT NULL, blocked_ns INTEGER NOT NULL
);
CREATE INDEX series_wait_series ON series_wait(series_id);
-- The course of the run: at most 64 stretches with the values that ended in them.
CREATE TABLE series_span (
	series_id INTEGER NOT NULL, number INTEGER NOT NULL,
	first_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL,
	value_count INTEGER NOT NULL, sum REAL NOT NULL,
	live_bytes INTEGER NOT NULL,	-- at the last of them
	cpu_ns INTEGER, ready_ns INTEGER, blocked_ns INTEGER,	-- of steps; NULL: not known
	PRIMARY KEY (series_id, number)
) WITHOUT ROWID;

-- A SPAN is one call that took long, or one step. There is room for some thousands of a
-- thread: of the shorter ones there may be only some, and trust has spans_complete_ns, the
-- length from which on all are there; calls that were only counted are never there.
-- duration_ns is from its beginning to its end, call_ns what of it was the call's time:
-- without what the recorder took in it, and without the time in which its stack was left
-- or the recording paused. Times are as the clock said (like raw_*). A call that was open
-- when its process ended ends there, and its waits are not known.
CREATE TABLE span (
	run_id INTEGER NOT NULL, process_id INTEGER NOT NULL, lane_id INTEGER NOT NULL,
	thread_id INTEGER,		-- NULL: it has no row
	kind INTEGER NOT NULL,		-- 1 call, 2 call that was unwound, 3 step, 4 call
					-- that was open
	name TEXT,			-- of a step
	path_id INTEGER,		-- of a step: where its end was marked
	started_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL,
	call_ns INTEGER NOT NULL,
	cpu_ns INTEGER, ready_ns INTEGER, blocked_ns INTEGER	-- of call_ns; NULL: not
					-- known
);
CREATE INDEX span_run ON span(run_id, lane_id, started_ns);

-- Everything that keeps the recording from being complete and exact, and a few plain
-- facts about the tool. process_id NULL: of the run. value of a text fact is in text.
CREATE TABLE trust (
	run_id INTEGER NOT NULL, process_id INTEGER, name TEXT NOT NULL,
	value INTEGER NOT NULL, text TEXT
);
CREATE INDEX trust_run ON trust(run_id);

-- A run that is being stored in several transactions: its rows are there already, its row
-- in run and those in trust come last. Ids up to these numbers are taken. touched is in
-- seconds since 1970; what nobody has touched for two minutes is removed by the next who
-- writes. The views show nothing of such a run.
CREATE TABLE storing (
	run_id INTEGER PRIMARY KEY,
	token TEXT NOT NULL UNIQUE,
	touched INTEGER NOT NULL,
	process_id INTEGER NOT NULL, lane_id INTEGER NOT NULL,
	thread_id INTEGER NOT NULL, module_id INTEGER NOT NULL,
	function_id INTEGER NOT NULL, path_id INTEGER NOT NULL,
	site_id INTEGER NOT NULL, snapshot_id INTEGER NOT NULL,
	series_id INTEGER NOT NULL
);

-- ------------------------------------------------------------------ the promise

CREATE VIEW runs AS SELECT run_id, label, command, cwd, host, cpu_count, started_utc,
	wall_ns, exit_code, exit_signal, complete, level, shim_version,
	inner_cost_ns + outer_cost_ns AS hook_cost_ns, alloc_count, alloc_bytes,
	free_count, peak_bytes, live_bytes_at_exit, clock, cpu_model, kernel, job, rank,
	rank_count, hook_cost_error_ns, counted_cost_ns, counted_cost_error_ns,
	alloc_cost_ns, alloc_cost_error_ns, overhead_percent
	FROM run;

CREATE VIEW run_tags AS SELECT run_id, kind, name, value FROM run_tag
	WHERE run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW processes AS SELECT run_id, process_id, parent_process_id, pid, executable,
	build_id, command, started_ns, wall_ns, exit_code, exit_signal, complete,
	alloc_count, alloc_bytes, peak_bytes, live_bytes_at_exit, job, rank
	FROM process
	WHERE run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW threads AS SELECT run_id, process_id, thread_id, tid, name, started_ns,
	wall_ns, lane_id, cpu_ns, ready_ns, blocked_ns, has_ended_process
	FROM thread
	WHERE run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW functions AS SELECT f.run_id, f.function_id, f.name, f.linkage_name,
	m.path AS module, f.file, f.line, f.component,
	-- nobody counted calls of what has no hooks
	CASE WHEN f.recording NOT IN ('unwound', 'sampled') OR f.calls > 0 THEN f.calls END AS calls,
	f.total_ns, f.self_ns,
	f.raw_total_ns, f.raw_self_ns, f.min_ns, f.p50_ns, f.p90_ns, f.p95_ns, f.p99_ns,
	f.max_ns, f.alloc_count, f.alloc_bytes, f.recording, f.naming, f.unwound_count,
	f.self_error_ns, f.total_error_ns,
	f.inlined_calls, f.hooked_total_ns, f.hooked_self_ns, f.hooked_raw_total_ns,
	f.hooked_raw_self_ns, f.cpu_ns, f.ready_ns, f.blocked_ns, f.self_cpu_ns,
	f.self_ready_ns, f.self_blocked_ns, f.is_library,
	IFNULL(f.full_name, f.name) AS full_name,
	f.owned_alloc_count, f.owned_alloc_bytes,
	f.self_ready_error_ns
	FROM function f LEFT JOIN module m USING (module_id)
	WHERE f.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW call_paths AS SELECT p.run_id, p.path_id, p.parent_path_id, p.depth,
	p.function_id, f.name, CASE p.kind WHEN 0 THEN 'function' WHEN 1 THEN 'frame'
	WHEN 2 THEN 'region' WHEN 3 THEN 'wait' ELSE 'io' END AS kind,
	CASE WHEN p.kind <> 1 THEN p.calls END AS calls, p.total_ns, p.self_ns, p.alloc_count,
	p.alloc_bytes, p.live_bytes,
	p.at_peak_bytes AS peak_bytes, p.raw_total_ns, p.raw_self_ns, p.unwound_count,
	CASE WHEN p.kind = 1 THEN 'unwound' WHEN p.recording = 0 THEN 'exact'
	WHEN p.recording = 2 THEN 'counted'
	WHEN p.recording = 4 THEN 'sampled' ELSE 'off' END AS recording, p.self_error_ns, p.total_error_ns,
	p.inlined_calls, IFNULL(p.host_path_id, p.path_id) AS host_path_id,
	p.host_path_id IS NOT NULL AS inlined, p.cpu_ns, p.ready_ns, p.blocked_ns,
	p.self_cpu_ns, p.self_ready_ns, p.self_blocked_ns, p.self_ready_error_ns,
	CASE WHEN p.call_line IS NOT NULL THEN IFNULL(p.call_file, (SELECT c.file FROM path q
	JOIN function c USING (function_id) WHERE q.path_id = p.parent_path_id)) END
	AS call_file, p.call_line,
	CASE WHEN p.call_line IS NOT NULL THEN IFNULL(p.call_lines, 1) END
	AS call_lines
	FROM path p JOIN function f USING (function_id)
	WHERE p.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW io AS SELECT t.run_id, t.process_id, t.path_id, f.name,
	-- operations: scripts/libc_calls.py
	CASE WHEN t.is_source THEN 'read'
	WHEN f.name IN ('read', 'pread', 'readv', 'preadv', 'recv', 'recvfrom', 'recvmsg', 'recvmmsg',
		'fread', 'fgets', 'getline', 'getc', 'fscanf', 'fseek')
	THEN 'read'
	WHEN f.name IN ('write', 'pwrite', 'writev', 'pwritev', 'sendfile', 'copy_file_range', 'splice',
		'tee', 'vmsplice', 'send', 'sendto', 'sendmsg', 'sendmmsg', 'fwrite', 'fputs',
		'putc', 'fprintf', 'dprintf', 'fflush')
	THEN 'write'
	WHEN f.name IN ('accept', 'connect', 'open', 'openat', 'creat', 'opendir', 'fopen')
	THEN 'open'
	WHEN f.name IN ('close', 'closedir', 'fclose', 'pclose', 'exit')
	THEN 'close'
	WHEN f.name IN ('fsync', 'fdatasync', 'sync_file_range', 'msync', 'syncfs', 'sync')
	THEN 'sync'
	ELSE 'other' END AS operation,
	-- end of operations
	IFNULL(g.name, '[not known]') AS file,
	CASE g.kind WHEN 1 THEN 'file' WHEN 2 THEN 'device' WHEN 3 THEN 'pipe'
	WHEN 4 THEN 'socket' WHEN 5 THEN 'other' WHEN 6 THEN 'paths' ELSE 'unknown' END
	AS kind, t.calls, t.bytes, t.total_ns, t.small_calls, t.sequential_calls,
	t.failed_calls, t.largest_bytes
	FROM transfer t JOIN path p USING (path_id) JOIN function f USING (function_id)
	LEFT JOIN target g ON g.run_id = t.run_id AND g.target_id = t.target_id
	WHERE t.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW samples AS SELECT run_id, path_id,
	CASE kind WHEN 0 THEN 'code' WHEN 1 THEN 'hooks' WHEN 2 THEN 'stubs' ELSE 'folded' END
	AS kind, function_id, name, outer_name, module, file, line, count, cpu_ns,
	CASE is_plain WHEN 0 THEN 'hooked' ELSE 'plain' END AS program
	FROM sample
	WHERE run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW plain_runs AS SELECT h.run_id, p.run_id AS plain_run_id
	FROM run p JOIN run h ON h.token = p.plain_of
	WHERE p.run_id NOT IN (SELECT run_id FROM storing)
	AND h.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW plain_functions AS
	WITH taken AS (
		SELECT l.run_id, s.name, s.module, s.count AS plain_samples,
			s.cpu_ns AS plain_cpu_ns, 0 AS hooked_samples, 0 AS hooked_cpu_ns
		FROM plain_runs l JOIN sample s ON s.run_id = l.plain_run_id
		WHERE s.is_plain AND s.kind = 0
		UNION ALL SELECT run_id, name, module, 0, 0, count, cpu_ns FROM sample
		WHERE NOT is_plain AND kind = 0 AND run_id IN (SELECT run_id FROM plain_runs)),
	sums AS (
		SELECT run_id, name, MAX(module) AS module, SUM(plain_samples) AS plain_samples,
			SUM(plain_cpu_ns) AS plain_cpu_ns, SUM(hooked_samples) AS hooked_samples,
			SUM(hooked_cpu_ns) AS hooked_cpu_ns
		FROM taken GROUP BY run_id, name),
	namesakes AS (
		SELECT run_id, name, function_id, file, line, MAX(calls) AS most_calls,
			SUM(calls) AS calls, SUM(alloc_count) AS alloc_count,
			SUM(alloc_bytes) AS alloc_bytes
		FROM function WHERE run_id IN (SELECT run_id FROM plain_runs)
		GROUP BY run_id, name)
	SELECT s.run_id, n.function_id, s.name, s.module, n.file, n.line,
		(SELECT COUNT(*) FROM plain_runs l WHERE l.run_id = s.run_id) AS plain_runs,
		s.plain_samples, s.plain_cpu_ns, s.hooked_samples, s.hooked_cpu_ns,
		n.calls, n.alloc_count, n.alloc_bytes
	FROM sums s LEFT JOIN namesakes n ON n.run_id = s.run_id AND n.name = s.name;

CREATE VIEW recordings AS SELECT run_id, process_id, function_id, name,
	CASE recording WHEN 0 THEN 'exact' WHEN 2 THEN 'counted' ELSE 'off' END AS recording,
	CASE reason WHEN 0 THEN 'budget' ELSE 'asked' END AS reason,
	since_ns, changes, counted_calls,
	CASE least WHEN 0 THEN 'exact' WHEN 2 THEN 'counted' ELSE 'off' END AS least, site_count, early_site_count
	FROM mode
	WHERE run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW call_edges AS SELECT e.run_id, e.caller_id, a.name AS caller, e.callee_id,
	b.name AS callee,
	CASE WHEN b.recording NOT IN ('unwound', 'sampled') OR b.calls > 0 THEN e.calls END AS calls,
	e.total_ns, e.inlined_calls, e.cpu_ns, e.ready_ns,
	e.blocked_ns
	FROM edge e JOIN function a ON a.function_id = e.caller_id
	JOIN function b ON b.function_id = e.callee_id
	-- a counted function that allocates may stand below one that did not call it
	WHERE (e.calls > 0 OR b.recording = 'unwound' OR b.recording = 'sampled' AND b.calls = 0)
	AND e.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW allocation_sites AS SELECT s.run_id, s.path_id, f.name, s.file, s.line,
	s.alloc_count, s.alloc_bytes, s.free_count, s.free_bytes, s.live_count,
	s.live_bytes, s.peak_bytes, s.at_peak_bytes, s.temporary_count, s.realloc_count,
	s.site_id, s.at_peak_count, s.realloc_copied_bytes, s.cross_thread_free_count,
	s.largest_bytes, s.realloc_old_bytes,
	CASE WHEN s.call_line IS NOT NULL THEN IFNULL(s.call_file, (SELECT c.file FROM path q
	JOIN function c USING (function_id) WHERE q.path_id = p.parent_path_id)) END
	AS call_file, s.call_line
	FROM site s JOIN path p USING (path_id) JOIN function f USING (function_id)
	WHERE s.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW locks AS SELECT l.run_id, l.lock_id, l.process_id, l.name, l.kind,
	l.lock_count + l.wait_count AS acquisitions, l.wait_count AS contended, l.wait_ns,
	l.p50_wait_ns, l.p95_wait_ns, l.p99_wait_ns, l.max_wait_ns, l.hold_count,
	l.hold_ns, l.max_hold_ns, l.named_by, l.module, l.address, l.first_path_id,
	l.block_path_id, l.block_offset
	FROM lock l WHERE l.kind IN ('mutex', 'rwlock', 'spin')
	AND l.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW lock_waits AS SELECT w.run_id, w.lock_id, l.name, w.waiter_path_id,
	a.name AS waiter, w.holder_path_id, h.name AS holder, w.taken_path_id,
	t.name AS taken_by, SUM(w.wait_count) AS wait_count, SUM(w.wait_ns) AS wait_ns,
	MAX(w.max_wait_ns) AS max_wait_ns
	FROM lock_wait w JOIN lock l USING (run_id, lock_id)
	LEFT JOIN path p ON p.path_id = w.waiter_path_id
	LEFT JOIN function a ON a.function_id = p.function_id
	LEFT JOIN path q ON q.path_id = w.holder_path_id
	LEFT JOIN function h ON h.function_id = q.function_id
	LEFT JOIN path r ON r.path_id = w.taken_path_id
	LEFT JOIN function t ON t.function_id = r.function_id
	WHERE l.kind IN ('mutex', 'rwlock', 'spin')
	AND w.run_id NOT IN (SELECT run_id FROM storing)
	GROUP BY w.run_id, w.lock_id, w.waiter_path_id, w.holder_path_id, w.taken_path_id;

CREATE VIEW signals AS SELECT w.run_id, w.lock_id, l.name, l.kind, w.waiter_path_id,
	a.name AS waiter, w.holder_path_id AS signaller_path_id, h.name AS signaller,
	SUM(w.wait_count) AS wait_count, SUM(w.wait_ns) AS wait_ns,
	MAX(w.max_wait_ns) AS max_wait_ns, l.process_id, l.named_by
	FROM lock_wait w JOIN lock l USING (run_id, lock_id)
	LEFT JOIN path p ON p.path_id = w.waiter_path_id
	LEFT JOIN function a ON a.function_id = p.function_id
	LEFT JOIN path q ON q.path_id = w.holder_path_id
	LEFT JOIN function h ON h.function_id = q.function_id
	WHERE l.kind NOT IN ('mutex', 'rwlock', 'spin')
	AND w.run_id NOT IN (SELECT run_id FROM storing)
	GROUP BY w.run_id, w.lock_id, w.waiter_path_id, w.holder_path_id;

CREATE VIEW wait_edges AS SELECT w.run_id, l.process_id, w.lock_id, l.name, l.kind,
	w.waiter_lane_id, w.waiter_path_id, a.name AS waiter, w.holder_lane_id,
	w.holder_path_id, h.name AS holder, w.taken_path_id, w.wait_count, w.wait_ns,
	w.max_wait_ns
	FROM lock_wait w JOIN lock l USING (run_id, lock_id)
	LEFT JOIN path p ON p.path_id = w.waiter_path_id
	LEFT JOIN function a ON a.function_id = p.function_id
	LEFT JOIN path q ON q.path_id = w.holder_path_id
	LEFT JOIN function h ON h.function_id = q.function_id
	WHERE w.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW stalls AS SELECT s.run_id, s.process_id, s.lane_id, s.started_ns, s.wait_ns,
	s.kind, s.lock_id, l.name, s.waiter_path_id, a.name AS waiter, s.holder_lane_id,
	s.holder_path_id, h.name AS holder, s.taken_path_id
	FROM stall s LEFT JOIN lock l USING (run_id, lock_id)
	LEFT JOIN path p ON p.path_id = s.waiter_path_id
	LEFT JOIN function a ON a.function_id = p.function_id
	LEFT JOIN path q ON q.path_id = s.holder_path_id
	LEFT JOIN function h ON h.function_id = q.function_id
	WHERE s.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW snapshots AS SELECT run_id, snapshot_id, process_id, label, taken_by,
	time_ns, live_count, live_bytes, alloc_count, alloc_bytes, rss_bytes, number
	FROM snapshot
	WHERE run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW snapshot_sites AS SELECT t.run_id, t.snapshot_id, s.path_id, f.name, s.file,
	s.line, n.live_count, n.live_bytes, n.alloc_count, n.alloc_bytes, n.site_id
	FROM snapshot t JOIN snapshot_site n ON n.process_id = t.process_id
	AND n.snapshot_id <= t.snapshot_id AND n.until_id > t.snapshot_id
	JOIN site s USING (site_id) JOIN path p USING (path_id)
	JOIN function f USING (function_id)
	WHERE t.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW snapshot_paths AS SELECT t.run_id, t.snapshot_id, n.path_id, n.calls,
	n.total_ns, n.self_ns, n.unwound_count, n.cpu_ns, n.ready_ns, n.blocked_ns,
	n.self_cpu_ns, n.self_ready_ns, n.self_blocked_ns
	FROM snapshot t JOIN snapshot_path n ON n.process_id = t.process_id
	AND n.snapshot_id <= t.snapshot_id AND n.until_id > t.snapshot_id
	WHERE t.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW snapshot_frees AS SELECT p.run_id, n.process_id, n.site_id, n.born_id,
	n.freed_id, n.free_count, n.free_bytes
	FROM snapshot_free n JOIN process p USING (process_id)
	WHERE p.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW steps AS SELECT run_id, process_id, name, step_index, started_ns,
	duration_ns, lane_id, live_bytes, cpu_ns, ready_ns, blocked_ns FROM step
	WHERE run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW spans AS SELECT s.run_id, s.rowid AS span_id, s.process_id, s.thread_id,
	s.lane_id, s.path_id, p.function_id, IFNULL(s.name, f.name) AS name,
	CASE WHEN s.kind = 3 THEN 'step' WHEN p.kind = 2 THEN 'region'
	WHEN p.kind = 3 THEN 'wait' WHEN p.kind = 4 THEN 'io' ELSE 'function' END AS kind,
	CASE s.kind WHEN 2 THEN 'unwound' WHEN 4 THEN 'open' ELSE 'exit' END AS ended,
	s.started_ns, s.duration_ns, s.call_ns, s.cpu_ns, s.ready_ns, s.blocked_ns
	FROM span s LEFT JOIN path p USING (path_id) LEFT JOIN function f USING (function_id)
	WHERE s.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW counters AS SELECT run_id, process_id, name, time_ns, value, counter_index,
	lane_id, live_bytes FROM counter
	WHERE run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW step_totals AS SELECT run_id, process_id, name, mark_count AS step_count,
	value_count AS timed_count, CAST(sum AS INTEGER) AS total_ns,
	CAST(mean AS INTEGER) AS mean_ns, CAST(min AS INTEGER) AS min_ns,
	CAST(p50 AS INTEGER) AS p50_ns, CAST(p90 AS INTEGER) AS p90_ns,
	CAST(p95 AS INTEGER) AS p95_ns, CAST(p99 AS INTEGER) AS p99_ns,
	CAST(max AS INTEGER) AS max_ns, first_ns, last_ns, growth_bytes, series_id, cpu_ns,
	ready_ns, blocked_ns
	FROM series WHERE kind = 1
	AND run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW counter_totals AS SELECT run_id, process_id, name,
	mark_count AS counter_count, sum, mean, min, p50, p90, p95, p99, max, first_ns,
	last_ns, growth_bytes, series_id
	FROM series WHERE kind = 2
	AND run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW step_extremes AS SELECT s.run_id, s.process_id AS of_process_id, s.name,
	e.is_highest AS is_slowest, e.rank, e.process_id, e.lane_id, e.number AS step_index,
	e.time_ns AS started_ns, CAST(e.value AS INTEGER) AS duration_ns, e.live_bytes,
	s.series_id, e.cpu_ns, e.ready_ns, e.blocked_ns
	FROM series_extreme e JOIN series s USING (series_id) WHERE s.kind = 1
	AND s.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW step_waits AS SELECT s.run_id, s.process_id AS of_process_id, s.name,
	s.series_id, w.rank, w.path_id, f.name AS waited_in, w.ready_ns, w.blocked_ns
	FROM series_wait w JOIN series s USING (series_id) JOIN path p USING (path_id)
	JOIN function f USING (function_id)
	WHERE s.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW counter_extremes AS SELECT s.run_id, s.process_id AS of_process_id, s.name,
	e.is_highest, e.rank, e.process_id, e.lane_id, e.number AS counter_index,
	e.time_ns, e.value, e.live_bytes, s.series_id
	FROM series_extreme e JOIN series s USING (series_id) WHERE s.kind = 2
	AND s.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW step_spans AS SELECT s.run_id, s.process_id AS of_process_id, s.name,
	p.number, p.first_ns, p.last_ns, p.value_count AS timed_count,
	CAST(p.sum AS INTEGER) AS total_ns, p.live_bytes, s.series_id, p.cpu_ns, p.ready_ns,
	p.blocked_ns
	FROM series_span p JOIN series s USING (series_id) WHERE s.kind = 1
	AND s.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW counter_spans AS SELECT s.run_id, s.process_id AS of_process_id, s.name,
	p.number, p.first_ns, p.last_ns, p.value_count AS counter_count, p.sum,
	p.live_bytes, s.series_id
	FROM series_span p JOIN series s USING (series_id) WHERE s.kind = 2
	AND s.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW studies AS SELECT s.run_id, s.study_id,
	CASE WHEN s.step IS NULL THEN p.function_id END AS function_id,
	IFNULL(s.step, f.name) AS name,
	CASE WHEN s.step IS NULL THEN 'call' ELSE 'step' END AS kind,
	CASE s.reason WHEN 1 THEN 'asked' ELSE 'found' END AS reason, s.started_ns, s.calls,
	s.total_ns, s.alone_calls, s.missed_calls, s.ready_calls, s.ready_ns, s.folded_paths,
	s.cost_ns
	FROM study s LEFT JOIN path p USING (path_id)
	LEFT JOIN function f ON f.function_id = p.function_id
	WHERE s.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW study_cases AS SELECT run_id, study_id, case_id, process_id, lane_id, path_id,
	is_slow, number, started_ns, duration_ns, ready_ns, beside_calls, beside_ns,
	folded_parts
	FROM study_case WHERE run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW study_parts AS SELECT s.run_id, s.study_id, s.case_id, s.path_id, f.name,
	s.is_first, s.calls, s.total_ns, s.self_ns, s.alloc_count, s.alloc_bytes, s.ready_ns,
	s.blocked_ns
	FROM study_part s LEFT JOIN path p USING (path_id)
	LEFT JOIN function f ON f.function_id = p.function_id
	WHERE s.run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW resources AS SELECT run_id, process_id, time_ns, cpu_percent, rss_bytes,
	minor_faults, major_faults, read_bytes, write_bytes, thread_count, cpu_wait_ns
	FROM resource
	WHERE run_id NOT IN (SELECT run_id FROM storing);

CREATE VIEW gpu AS SELECT run_id, process_id, time_ns, device, memory_bytes,
	utilisation_percent FROM gpu_sample
	WHERE run_id NOT IN (SELECT run_id FROM storing);

-- "trust" is the table itself: run_id, process_id, name, value (and text).
