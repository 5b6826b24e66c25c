/* SPDX-License-Identifier: MIT */
/* The command push: the runs of databases to a server. Must not change a database. */
#include "analyzer/push/http.h"
#include "analyzer/push/store.h"
#include "analyzer/push/target.h"

#include "analyzer/reports/common.h"
#include "analyzer/rundb/select.h"
#include "common/base/xalloc.h"

#include "clickhouse_rows.sql.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *scheme;
	bool has_all; /* all runs of a database, not the latest */
	void (*open)(const char *url, const char *credentials);
	void (*push)(struct push *push);
} targets[] = {
	{"http://", false, http_open, gateway_push},
	{"https://", false, http_open, gateway_push},
	{"clickhouse://", true, store_open, clickhouse_push},
	{"clickhouses://", true, store_open, clickhouse_push},
};

static const struct column columns[] = {
	{"database", "database", COLUMN_FILE, COLUMN_KEEP},
	{"run_id", "run", COLUMN_ID, COLUMN_KEEP},
	{"was_there", "was there", COLUMN_FLAG, COLUMN_KEEP},
	{"url", "is at", COLUMN_TEXT, COLUMN_KEEP},
};

/* What takes the place of an earlier run never was there. */
static void add_row(struct table *table, const struct push *push, bool has_all)
{
	struct cell *row = table_add_row(table);

	row[0] = table_text(table, rundb_path(push->input->db));
	row[1] = cell_integer(push->input->run_id);
	if (has_all)
		row[2] = cell_integer(push->was_there);
	row[3] = table_text(table, strbuf_text(&push->where));
}

/* Pushes the runs of input's database that a kind of server gets. */
static void push_database(struct push *push, size_t target, struct table *table)
{
	struct report_input *input = push->input;
	size_t count = 0;
	int64_t *runs = NULL, latest;
	struct cursor *cursor;

	if (select_run(input->db, NULL, &latest, &input->error) < 0)
		command_fail_lines(STATUS_FAILED, strbuf_text(&input->error));
	cursor = report_query(input, clickhouse_rows_sql_runs);
	while (cursor_next(cursor))
		if (targets[target].has_all || cursor_integer(cursor, "run_id") == latest)
			ARRAY_ADD(runs, count) = cursor_integer(cursor, "run_id");
	cursor_close(cursor);
	for (size_t i = 0; i < count; i++) {
		strbuf_reset(&push->where);
		input->run_id = runs[i];
		targets[target].push(push);
		add_row(table, push, targets[target].has_all);
		strbuf_reset(&command_failure_end);
		strbuf_printf(&command_failure_end, "; pushed before: %zu runs",
			      table->row_count);
	}
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct push push = {.input = input, .url = input->options->argument};
	size_t count = sizeof(targets) / sizeof(targets[0]), target = 0;
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]));

	while (target < count && strncmp(push.url, targets[target].scheme,
					 strlen(targets[target].scheme)) != 0)
		target++;
	if (target == count)
		command_fail(STATUS_USAGE,
			     "push: '%s' is not the URL of a server, such as "
			     "http://host:9091",
			     push.url);
	targets[target].open(push.url, input->options->credentials);
	for (size_t i = 0; i < input->database_count; i++) {
		input->db = input->databases[i];
		push_database(&push, target, table);
	}
	strbuf_reset(&command_failure_end);
	doc_table(doc, "pushed", NULL, table)->flags = SECTION_MAIN;
	return STATUS_OK;
}

const struct report report_push = {
	.name = "push",
	.argument = "URL",
	.summary = "send runs to a server: Prometheus, ClickHouse",
	.description =
		"URL http://HOST:9091 is a Prometheus Pushgateway: it gets what 'export "
		"openmetrics' writes of the latest run of each database, in place of an "
		"earlier run of the same program on the same host (the labels job and "
		"instance). To choose these, write the path out: "
		"http://HOST:9091/metrics/job/NAME/instance/NAME.\n\n"
		"URL clickhouse://HOST:8123/DATABASE is a ClickHouse, clickhouses:// the "
		"same with TLS: it gets all runs, with each call path. 'fleet init' "
		"makes "
		"its tables. A run that is there is not sent again, and a push that was "
		"cut short goes on.\n\n"
		"Nothing of a database changes, so a server that cannot be reached "
		"(status 1) can have it later.\n\n"
		"Credentials are the first line of --credentials FILE, which only you "
		"may "
		"be able to read, or the variable PROFSHIM_CREDENTIALS: USER:PASSWORD, "
		"or "
		"a token without a colon.",
	.example = "prof-analyze push http://localhost:9091 run.db",
	.takes = TAKES_MANY | TAKES_PUSH,
	.build = build,
};
