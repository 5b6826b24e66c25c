/* SPDX-License-Identifier: MIT */
/*
 * What this is:  reports of a run.db that was made to do harm.
 * Runs on:       tests; inside fuzz_sql.c.
 * See also:      fuzz_sql.h
 */
#include "tests/fuzz/fuzz_sql.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/reports/report.h"
#include "analyzer/rundb/limits.h"
#include "analyzer/rundb/select.h"
#include "analyzer/tree/calltree.h"

#define CPU_MS 400u
#define MEMORY_BYTES (64ll << 20)

static jmp_buf failing;

static void go_back(int status, const char *text)
{
	if (!*text)
		abort(); /* a failure without a sentence */
	longjmp(failing, status);
}

/* Of a report that failed, as the end of the program ends them: who stores into the file
 * would wait for those that read it. */
static void end_queries(struct sqlite3 *db)
{
	struct sqlite3_stmt *query;

	while ((query = sqlite3_next_stmt(db, NULL)))
		sqlite3_finalize(query);
}

static void build(struct rundb *db, int64_t run_id, const struct report *report)
{
	const struct report_options options = {
		.argument = strcmp(report->name, "sql") == 0 ? "SELECT * FROM mine, runs"
			    : report->other_argument	     ? "start"
							     : "main",
		.other_argument = "exit",
		.by = "path",
		.limit = -1,
		.min_share = -1,
		.metric = "self",
	};
	struct report_input input = {.db = db, .run_id = run_id, .options = &options};
	struct doc doc;

	doc_init(&doc, report->name);
	command_failed = go_back;
	if (!setjmp(failing))
		report->build(&input, &doc);
	else
		end_queries(rundb_handle(db));
	calltree_free(input.tree);
	strbuf_free(&input.error);
	doc_free(&doc);
}

/* A few reports of each input, in turn: all would take seconds with ASan. */
void fuzz_sql_show(const char *path, size_t turn)
{
	const struct limits little = {CPU_MS, CPU_MS, MEMORY_BYTES};
	struct strbuf error = {0};
	struct rundb *db;
	int64_t run_id = 0;

	command_keep_memory();
	limits_set(&little);
	if (rundb_open(path, &db, &error) < 0) {
		if (!error.size)
			abort();
	} else {
		command_failed = go_back;
		if (setjmp(failing)) {
			end_queries(rundb_handle(db));
			rundb_close(db);
			return;
		}
		select_run(db, NULL, &run_id, &error);
		for (size_t i = turn % 5; i < report_registry_count; i += 5)
			if ((report_registry[i]->takes & TAKES_RUN) ||
			    !(report_registry[i]->takes & TAKES_NO_DATABASE))
				build(db, run_id, report_registry[i]);
		rundb_close(db);
	}
	strbuf_free(&error);
}
