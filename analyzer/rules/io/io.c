/* SPDX-License-Identifier: MIT */
/*
 * Rules I1 to I3: files that are read and written in tiny pieces, synced again and again,
 * opened again and again. Must not judge messages: a small one on a socket or a pipe is
 * all that there is to say.
 */
#include "analyzer/rules/rule.h"

#include "io_io.sql.h"

extern const struct rule rule_cpu_low, rule_long_wait;

static const struct rule *const explained[] = {&rule_cpu_low, &rule_long_wait, NULL};

static const char path_proof[] =
	"SELECT i.name, i.file, i.calls, i.bytes, i.total_ns, i.small_calls, "
	"i.sequential_calls, i.largest_bytes FROM io i JOIN call_paths p USING (run_id, "
	"path_id) WHERE i.run_id = {run} AND p.parent_path_id = {path_id} ORDER BY "
	"i.total_ns DESC";

static const struct rule_limit small_transfers_limits[] = {
	{"least_calls", 1000, "count", .meaning = "reads, or writes, of one function"},
	{"mean_bytes", 512, "bytes", .meaning = "what one moves, mean, at most"},
	{"sequential", 0.5, "ratio", .most = 1,
	 .meaning =
		 "part of them that go on where the one before ended: others cannot be "
		 "joined"},
	{"run_share", 0.05, "ratio", .most = 1, .meaning = "what they hold of the run"},
	{"page_bytes", 4096, "bytes", .least = 1,
	 .meaning = "what one could move at the same cost"},
	{0},
};

const struct rule rule_small_transfers = {
	.id = "I1",
	.slug = "small-transfers",
	.limits = small_transfers_limits,
	.title = "A file is read or written in tiny pieces",
	.summary = "a function moves a file's bytes a few at a time, each with a call of "
		   "the kernel",
	.specific = 2,
	.explains = explained,
	.needs = MEASURED_CALLS | MEASURED_WALL | MEASURED_LIBC,
	.sql = io_io_sql_small,
	.values =
		(const struct rule_value[]){
			RULE_LEAST("calls", "count", "calls", "least_calls"),
			RULE_MOST("mean size", "bytes", "mean_bytes", "mean_bytes"),
			RULE_LEAST("one after the other", "percent", "sequential",
				   "sequential"),
			RULE_LEAST("share of the run", "percent", "held", "run_share"),
			RULE_TELLS("time per call", "ns", "call_ns"),
			{0}},
	.why = "it moves {file}{others} in small pieces by {callee}(), one call of the "
	       "kernel for each",
	.advice = {"{remedy}", "map the file: mmap()",
		   "know the size before: one call for the whole"},
	.proof = path_proof,
};

static const struct rule_limit sync_storm_limits[] = {
	{"least_calls", 20, "count", .meaning = "syncs of one function"},
	{"run_share", 0.05, "ratio", .most = 1, .meaning = "what they hold of the run"},
	{"assumed_gain", 0.5, "ratio", .most = 1,
	 .meaning =
		 "part of it that a fix is assumed to save: two changes with one sync"},
	{0},
};

const struct rule rule_sync_storm = {
	.id = "I2",
	.slug = "sync-storm",
	.limits = sync_storm_limits,
	.title = "Files are synced again and again",
	.summary = "a function waits for the disk with fsync() and the like many times",
	.specific = 2,
	.explains = explained,
	.needs = MEASURED_CALLS | MEASURED_WALL | MEASURED_LIBC,
	.sql = io_io_sql_syncs,
	.values =
		(const struct rule_value[]){
			RULE_LEAST("syncs", "count", "calls", "least_calls"),
			RULE_LEAST("share of the run", "percent", "held", "run_share"),
			RULE_TELLS("time per sync", "ns", "call_ns"),
			RULE_TELLS("in all", "ns", "ns"),
			{0}},
	.why = "it waits in {callee}() for the disk each time, for {file}{others}",
	.advice = {"sync once for several changes: a transaction, or a group of commits",
		   "what must not last need not be synced: a temporary file, a cache",
		   "fdatasync() in a file of fixed size, and a log that is written in "
		   "order"},
	.proof = path_proof,
};

static const struct rule_limit open_again_limits[] = {
	{"least_opens", 100, "count", .meaning = "openings of one file"},
	{"run_share", 0.03, "ratio", .most = 1,
	 .meaning = "what opening and closing it holds of the run"},
	{0},
};

const struct rule rule_open_again = {
	.id = "I3",
	.slug = "open-again",
	.limits = open_again_limits,
	.title = "The same file is opened again and again",
	.summary = "one file is opened and closed very often, and that takes a part of "
		   "the run",
	.specific = 2,
	.explains = explained,
	.needs = MEASURED_CALLS | MEASURED_WALL | MEASURED_LIBC,
	.sql = io_io_sql_opens,
	.values =
		(const struct rule_value[]){
			RULE_LEAST("openings", "count", "calls", "least_opens"),
			RULE_LEAST("opening and closing, of the run", "percent", "held",
				   "run_share"),
			RULE_TELLS("each time", "ns", "call_ns"),
			{0}},
	.why = "it opens {file} each time anew",
	.advice = {"keep it open, and go back to its start: lseek(), or pread()",
		   "keep what was read, and ask stat() whether it has changed",
		   "of a log: open it once, in append mode"},
	.proof =
		"SELECT i.path_id, i.name, i.calls, i.failed_calls, i.total_ns FROM io i "
		"JOIN io o ON o.run_id = i.run_id AND o.file = i.file AND o.operation = "
		"'open' JOIN call_paths p ON p.run_id = o.run_id AND p.path_id = "
		"o.path_id "
		"WHERE i.run_id = {run} AND p.parent_path_id = {path_id} GROUP BY 1, 2 "
		"ORDER BY i.total_ns DESC",
};
