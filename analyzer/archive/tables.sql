-- SPDX-License-Identifier: MIT
--
-- An archive: what many runs left behind, in one SQLite file (PRAGMA application_id
-- 0x70726661, "prfa"). Written by `prof-analyze archive add`, read by anyone.
--
-- A run is there twice: whole, as `packed`, from which every report can be made again; and
-- as rows of what each of its functions did, which `history` compares over many runs.
-- Units and meanings are those of run.db (common/schema.sql).

CREATE TABLE archived (
	run_id INTEGER PRIMARY KEY,
	token TEXT NOT NULL,		-- with host: which run it is, wherever it was stored
	host TEXT NOT NULL,		-- '': not known
	schema INTEGER NOT NULL,	-- of the run.db that it came from
	program TEXT NOT NULL,		-- the name of what ran, without its directory
	workload TEXT NOT NULL,		-- its label, or the program and its arguments
	label TEXT, command TEXT, started_utc TEXT, level TEXT, cpu_model TEXT,
	build_id TEXT,			-- of the first process
	plain_of TEXT, job TEXT,	-- as of a run: reports of one ask for the other
	complete INTEGER NOT NULL,
	wall_ns INTEGER, self_ns INTEGER, self_error_ns INTEGER, self_cpu_ns INTEGER,
	calls INTEGER, alloc_count INTEGER, alloc_bytes INTEGER, peak_bytes INTEGER,
	live_bytes_at_exit INTEGER,
	UNIQUE (token, host)
);

-- reference_id: the run that the rows are differences from, see analyzer/archive/pack.h;
-- it has none itself. size_bytes: of the run.db, or its share of it.
CREATE TABLE packed (
	run_id INTEGER PRIMARY KEY REFERENCES archived,
	reference_id INTEGER,
	size_bytes INTEGER NOT NULL,
	rows BLOB NOT NULL
);

CREATE TABLE tag (
	run_id INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
	PRIMARY KEY (run_id, name)
) WITHOUT ROWID;

-- A function, whatever build it is in: file is the base name of its source, or else of its
-- module.
CREATE TABLE subject (
	subject_id INTEGER PRIMARY KEY,
	name TEXT NOT NULL, file TEXT NOT NULL,
	UNIQUE (name, file)
);

-- In order of the runs: adding one writes few pages. cpu_ns is what the function computed
-- itself (self_cpu_ns; where waits were not told apart self_ns), with its error.
CREATE TABLE measured (
	run_id INTEGER NOT NULL, subject_id INTEGER NOT NULL,
	recording INTEGER NOT NULL,	-- 0 exact, 1 sampled, 2 counted, 3 off, 4 unwound
	calls INTEGER NOT NULL,
	cpu_ns INTEGER NOT NULL, error_ns INTEGER NOT NULL,
	total_ns INTEGER NOT NULL,
	PRIMARY KEY (run_id, subject_id)
) WITHOUT ROWID;

-- What most functions do not have. peak_bytes: held when the run's memory was at its peak.
CREATE TABLE besides (
	run_id INTEGER NOT NULL, subject_id INTEGER NOT NULL,
	blocked_ns INTEGER NOT NULL,	-- itself
	alloc_count INTEGER NOT NULL, alloc_bytes INTEGER NOT NULL,
	peak_bytes INTEGER NOT NULL,
	PRIMARY KEY (run_id, subject_id)
) WITHOUT ROWID;
