/* SPDX-License-Identifier: MIT */
/*
 * Proves that the gate can fail: known regressions and twins without them go through the
 * report compare. Must not judge in its own way: it only looks at exit statuses.
 */
#include "analyzer/reports/common.h"

#include "selftest_gate.sql.h"

extern const struct report report_compare;

#define CALLS 1000
#define HOOKS_NS 30 /* for each call, as in selftest_gate.sql */
#define SELF_NS 10000000
#define ALLOCATIONS 100
#define ALLOCATION_BYTES 64

/* Compares runs_a_side synthetic runs on each side; after takes this many percent
 * more. */
struct scenario {
	const char *what;
	int runs_a_side;
	int time_percent, alloc_percent;
	bool is_empty; /* nothing was measured after */
	const char *limits, *fail_on;
	enum exit_status expected;
	int64_t calls_before, calls_after; /* 0: CALLS */
};

static const struct scenario scenarios[] = {
	{"twice the bytes, limit 0%", 1, 0, 100, false, "alloc_bytes=0%", NULL,
	 STATUS_REGRESSION, 0, 0},
	{"its unchanged twin", 1, 0, 0, false, "alloc_bytes=0%", NULL, STATUS_OK, 0, 0},
	{"one allocation more in 100, limit 10", 1, 0, 1, false, "alloc_count=10", NULL,
	 STATUS_OK, 0, 0},
	{"one allocation more in 100, any regression fails", 1, 0, 1, false, NULL,
	 "regression", STATUS_REGRESSION, 0, 0},
	{"unchanged, 10 runs a side, any regression fails", 10, 0, 0, false, NULL,
	 "regression", STATUS_OK, 0, 0},
	{"unchanged, but one run a side proves nothing about times", 1, 0, 0, false, NULL,
	 "regression", STATUS_NOTHING, 0, 0},
	{"eight times slower, one run a side", 1, 700, 0, false, NULL, "regression",
	 STATUS_NOTHING, 0, 0},
	{"eight times slower, one run a side, limit 5%", 1, 700, 0, false, "wall=5%",
	 NULL, STATUS_NOTHING, 0, 0},
	{"eight times slower, 3 runs a side, any regression fails", 3, 700, 0, false,
	 NULL, "regression", STATUS_NOTHING, 0, 0},
	{"20% slower, 10 runs a side, limit 5%", 10, 20, 0, false, "wall=5%", NULL,
	 STATUS_REGRESSION, 0, 0},
	{"its unchanged twin", 10, 0, 0, false, "wall=5%", NULL, STATUS_OK, 0, 0},
	{"20% slower, 10 runs a side, any regression fails", 10, 20, 0, false, NULL,
	 "regression", STATUS_REGRESSION, 0, 0},
	{"a function 20% slower, limit 5%", 10, 20, 0, false, "func:work.self=5%", NULL,
	 STATUS_REGRESSION, 0, 0},
	{"20% slower, too few runs to tell", 2, 20, 0, false, "wall=5%", NULL,
	 STATUS_NOTHING, 0, 0},
	{"nothing measured after", 1, 0, 0, true, "alloc_bytes=0%", NULL, STATUS_NOTHING,
	 0, 0},
	/* A million calls cost 30 of 50 ms in hooks, known to a tenth. */
	{"more hooks alone, limit 5%", 10, 0, 0, false, "wall=5%", NULL, STATUS_NOTHING,
	 100000, 1000000},
	{"fewer hooks alone, any regression fails", 10, 0, 0, false, NULL, "regression",
	 STATUS_NOTHING, 1000000, 100000},
	{"10% slower, which fewer hooks hide, limit 5%", 10, 10, 0, false, "wall=5%",
	 NULL, STATUS_NOTHING, 1000000, 100000},
	{"20% slower, which fewer hooks hide, limit 5%", 10, 20, 0, false, "wall=5%",
	 NULL, STATUS_REGRESSION, 1000000, 100000},
	{"twice as slow, which fewer hooks hide, limit 5%", 10, 100, 0, false, "wall=5%",
	 NULL, STATUS_REGRESSION, 1000000, 100000},
	{"unchanged, as many hooks, limit 5%", 10, 0, 0, false, "wall=5%", NULL,
	 STATUS_OK, 1000000, 1000000},
};

/* Runs one statement with all parameters it may have. */
static void insert(struct rundb *db, const char *sql, int run, const char *label,
		   int64_t self, int64_t count, int64_t calls)
{
	struct cursor *cursor = rundb_query(db, sql);

	cursor_bind_integer(cursor, ":run", run);
	cursor_bind_text(cursor, ":label", label);
	cursor_bind_integer(cursor, ":wall", 2 * self + HOOKS_NS * calls);
	cursor_bind_integer(cursor, ":self", self);
	cursor_bind_integer(cursor, ":calls", calls);
	cursor_bind_integer(cursor, ":count", count);
	cursor_bind_integer(cursor, ":bytes", count * ALLOCATION_BYTES);
	cursor_next(cursor);
	cursor_close(cursor);
}

/* Runs vary by up to 1 %, in the same way on both sides. */
static int64_t spread(int run)
{
	return SELF_NS / 1000 * (run * 7 % 10);
}

static void add_run(struct rundb *db, const struct scenario *scenario, int run,
		    bool is_after)
{
	int64_t self = SELF_NS + spread(run % scenario->runs_a_side);
	int64_t count = ALLOCATIONS;
	int64_t calls = is_after ? scenario->calls_after : scenario->calls_before;
	const char *label = is_after ? "after" : "before";
	bool is_empty = is_after && scenario->is_empty;

	calls = calls ? calls : CALLS;
	if (is_after) {
		self += self * scenario->time_percent / 100;
		count += count * scenario->alloc_percent / 100;
	}
	insert(db, selftest_gate_sql_run, run, label, self, is_empty ? 0 : count, calls);
	if (is_empty)
		return;
	insert(db, selftest_gate_sql_function, run, label, self, count, calls);
	insert(db, selftest_gate_sql_path, run, label, self, count, calls);
}

/* The status that the report compare gives. */
static enum exit_status judge(struct report_input *outer, const struct scenario *scenario)
{
	struct report_options options = {.limit = -1,
					 .min_share = -1,
					 .limits = scenario->limits,
					 .fail_on = scenario->fail_on};
	struct report_input input = {.options = &options};
	enum exit_status status;
	struct doc doc;

	if (rundb_open_memory("synthetic", &input.db, &outer->error) < 0)
		return STATUS_FAILED;
	doc_init(&doc, "compare");
	input.databases = &input.db;
	input.database_count = 1;
	for (int i = 1; i <= 2 * scenario->runs_a_side; i++)
		add_run(input.db, scenario, i, i > scenario->runs_a_side);
	status = report_compare.build(&input, &doc);
	if (input.error.size)
		command_fail(STATUS_FAILED, "%s: %s", scenario->what,
			     strbuf_text(&input.error));
	rundb_close(input.db);
	return status;
}

static const struct column columns[] = {
	{"what", "comparison", COLUMN_TEXT, COLUMN_KEEP},
	{"expected", "status wanted", COLUMN_ID, COLUMN_KEEP},
	{"got", "got", COLUMN_ID, COLUMN_KEEP},
	{"passed", "right", COLUMN_FLAG, COLUMN_KEEP},
};

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]));

	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		enum exit_status status = judge(input, &scenarios[i]);
		struct cell *row = table_add_row(table);

		row[0] = table_text(table, scenarios[i].what);
		row[1] = cell_integer(scenarios[i].expected);
		row[2] = cell_integer(status);
		row[3] = cell_integer(status == scenarios[i].expected);
		if (status == scenarios[i].expected)
			continue;
		command_fail(STATUS_FAILED,
			     "do not rely on the gate: '%s' gave status %d instead of %d",
			     scenarios[i].what, status, scenarios[i].expected);
	}
	doc_table(doc, "scenarios", NULL, table)->flags = SECTION_MAIN;
	doc_note(doc, "selftest", NOTE_GOOD,
		 "The gate fails for regressions and passes without them.", NULL);
	return STATUS_OK;
}

const struct report report_selftest_gate = {
	.name = "selftest-gate",
	.summary = "proves that the gate of compare can fail",
	.description =
		"Runs compare on known regressions and on unchanged twins, and checks "
		"the exit statuses. Status 0: every regression gave 3, every twin 0, and "
		"every pair that cannot be judged 4. Run it in CI before the "
		"gate: "
		"a gate that never fails looks like good code.",
	.example = "prof-analyze selftest-gate",
	.takes = TAKES_NO_DATABASE,
	.build = build,
};
