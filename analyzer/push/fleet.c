/* SPDX-License-Identifier: MIT */
/* The command fleet: the tables of a ClickHouse that runs are pushed to. */
#include "analyzer/push/store.h"

#include "analyzer/reports/common.h"
#include "common/base/xalloc.h"

#include "clickhouse.sql.h"

#include <stdlib.h>
#include <string.h>

/* Makes what is not there yet. */
static void make_tables(void)
{
	static const char *const statements[] = {
		clickhouse_sql_make_schema, clickhouse_sql_make_runs,
		clickhouse_sql_make_functions, clickhouse_sql_make_stacks,
		clickhouse_sql_make_measurements};
	ended_by(strbuf_free) struct strbuf version = {0};

	store_make_database();
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		store_ask(statements[i]);
	if (store_number(clickhouse_sql_version, NULL))
		return;
	strbuf_printf(&version, "%d\n", CLICKHOUSE_SCHEMA);
	store_insert("profshim_schema", "version", &version);
}

/* Adds the first line of what a server says. */
static void add_line(struct doc *doc, struct section *section, const char *name,
		     const char *title, const char *text)
{
	auto_free char *line = xstrndup(text, strcspn(text, "\n"));
	ended_by(strbuf_free) struct strbuf clean = {0};

	utf8_clean(&clean, line);
	doc_add_text(doc, section, name, title, strbuf_text(&clean));
}

static void show(struct doc *doc)
{
	static const struct {
		const char *name, *title, *sql;
		enum column_type type;
	} facts[] = {
		{"server_version", "ClickHouse", clickhouse_sql_server, COLUMN_TEXT},
		{"run_count", "runs", clickhouse_sql_run_count, COLUMN_COUNT},
		{"host_count", "of hosts", clickhouse_sql_host_count, COLUMN_COUNT},
		{"first_day", "first day", clickhouse_sql_first_day, COLUMN_TEXT},
		{"last_day", "last day", clickhouse_sql_last_day, COLUMN_TEXT},
		{"stack_count", "stacks", clickhouse_sql_stack_count, COLUMN_COUNT},
		{"row_count", "rows", clickhouse_sql_row_count, COLUMN_COUNT},
		{"unfinished_count", "pushes cut short", clickhouse_sql_unfinished,
		 COLUMN_COUNT},
		{"stored_bytes", "on disk", clickhouse_sql_stored_bytes, COLUMN_BYTES},
	};
	struct section *section = doc_values(doc, "fleet", NULL);

	doc_add(section, "schema", "schema", COLUMN_ID, cell_integer(CLICKHOUSE_SCHEMA));
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (facts[i].type == COLUMN_TEXT)
			add_line(doc, section, facts[i].name, facts[i].title,
				 store_ask(facts[i].sql));
		else
			doc_add(section, facts[i].name, facts[i].title, facts[i].type,
				cell_integer(store_number(facts[i].sql, NULL)));
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	const char *action = input->options->argument;
	const char *url = input->options->other_argument;
	bool is_init = strcmp(action, "init") == 0;

	if (!is_init && strcmp(action, "check") != 0)
		command_fail(STATUS_USAGE,
			     "fleet: there is no '%s'; there are init and check", action);
	if (strncmp(url, "clickhouse://", 13) != 0 &&
	    strncmp(url, "clickhouses://", 14) != 0)
		command_fail(STATUS_USAGE,
			     "fleet: '%s' is not a URL such as "
			     "clickhouse://host:8123/fleet",
			     url);
	store_open(url, input->options->credentials);
	if (is_init)
		make_tables();
	store_check();
	show(doc);
	return STATUS_OK;
}

const struct report report_fleet = {
	.name = "fleet",
	.argument = "WHAT",
	.other_argument = "URL",
	.summary = "init or check a server for many runs",
	.description =
		"WHAT init makes the tables for runs in a ClickHouse, if they are not "
		"there; check says what is there, and fails (status 1) where the server, "
		"its "
		"tables or the credentials are not as they must be. URL is "
		"clickhouse://HOST:8123/DATABASE, or clickhouses:// with TLS. 'push' "
		"sends "
		"runs there. Credentials are those of 'push'.",
	.example = "prof-analyze fleet init clickhouse://localhost:8123/fleet",
	.takes = TAKES_NO_DATABASE | TAKES_ONLY_WORDS | TAKES_PUSH,
	.build = build,
};
