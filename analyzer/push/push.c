/* SPDX-License-Identifier: MIT */
/* The command push: the runs of databases to a server. Must not change a database. */
#include "analyzer/push/target.h"

#include "analyzer/reports/common.h"
#include "analyzer/rundb/select.h"

#include <string.h>

static const struct {
	const char *scheme;
	enum exit_status (*push)(struct push *push);
} targets[] = {
	{"http://", gateway_push},
	{"https://", gateway_push},
};

static const struct column columns[] = {
	{"database", "database", COLUMN_FILE, COLUMN_KEEP},
	{"run_id", "run", COLUMN_ID, COLUMN_KEEP},
	{"url", "is at", COLUMN_TEXT, COLUMN_KEEP},
};

static void add_row(struct table *table, const struct push *push)
{
	struct cell *row = table_add_row(table);

	row[0] = table_text(table, rundb_path(push->input->db));
	row[1] = cell_integer(push->input->run_id);
	row[2] = table_text(table, strbuf_text(&push->where));
}

/* The latest run of each database. */
static enum exit_status push_all(struct push *push, size_t target, struct table *table)
{
	struct report_input *input = push->input;
	enum exit_status status = STATUS_OK;

	for (size_t i = 0; i < input->database_count && status == STATUS_OK; i++) {
		input->db = input->databases[i];
		strbuf_reset(&push->where);
		status = select_run(input->db, NULL, &input->run_id, &input->error) < 0
				 ? STATUS_FAILED
				 : targets[target].push(push);
		if (status == STATUS_OK)
			add_row(table, push);
	}
	if (status && table->row_count)
		strbuf_printf(&input->error, "; pushed before: %zu of %zu",
			      table->row_count, input->database_count);
	input->db = NULL; /* databases[] owns it */
	return status;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct push push = {.input = input, .url = input->options->argument};
	size_t count = sizeof(targets) / sizeof(targets[0]), target = 0;
	enum exit_status status;
	struct table *table;

	while (target < count && strncmp(push.url, targets[target].scheme,
					 strlen(targets[target].scheme)) != 0)
		target++;
	if (target == count)
		return report_fail(input, STATUS_USAGE,
				   "push: '%s' is not the URL of a server, such as "
				   "http://host:9091",
				   push.url);
	if (!http_check_url(push.url, &input->error))
		return STATUS_USAGE;
	push.http = http_open(input->options->credentials, &input->error);
	if (!push.http)
		return STATUS_FAILED;
	table = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	status = push_all(&push, target, table);
	doc_table(doc, "pushed", NULL, table)->flags = SECTION_MAIN;
	http_close(push.http);
	strbuf_free(&push.where);
	return status;
}

const struct report report_push = {
	.name = "push",
	.argument = "URL",
	.summary = "send runs to a server: Prometheus",
	.description =
		"Sends the latest run of each database. URL http://HOST:9091 is a "
		"Prometheus Pushgateway: it gets what 'export openmetrics' writes, in "
		"place "
		"of an earlier run of the same program on the same host (the labels job "
		"and "
		"instance). To choose these, write the path out: "
		"http://HOST:9091/metrics/job/NAME/instance/NAME. Nothing of a database "
		"changes, so a server that cannot be reached (status 1) can have it "
		"later.\n\n"
		"Credentials are the first line of --credentials FILE, which only you "
		"may be "
		"able to read, or the variable PROFSHIM_CREDENTIALS: USER:PASSWORD, or a "
		"token without a colon.",
	.example = "prof-analyze push http://localhost:9091 run.db",
	.takes = TAKES_MANY | TAKES_PUSH,
	.build = build,
};
