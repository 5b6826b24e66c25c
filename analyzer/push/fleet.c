/* SPDX-License-Identifier: MIT */
/* The command fleet: the tables of a ClickHouse that runs are pushed to. */
#include "analyzer/push/store.h"
#include "analyzer/push/tables.h"

#include "analyzer/reports/common.h"
#include "common/base/xalloc.h"

#include "clickhouse.sql.h"

#include <stdlib.h>
#include <string.h>

/* Makes what is not there yet. */
static bool make_tables(struct store *store, struct strbuf *error)
{
	static const char *const statements[] = {
		clickhouse_sql_make_schema, clickhouse_sql_make_runs,
		clickhouse_sql_make_functions, clickhouse_sql_make_stacks,
		clickhouse_sql_make_measurements};
	ended_by(strbuf_free) struct strbuf text = {0};
	long long version = 0;
	bool is_fine;

	strbuf_printf(&text, "CREATE DATABASE IF NOT EXISTS %s",
		      strbuf_text(&store->database));
	is_fine = store_ask_server(store, strbuf_text(&text), error);
	for (size_t i = 0; is_fine && i < sizeof(statements) / sizeof(statements[0]); i++)
		is_fine = store_ask(store, statements[i], error);
	is_fine = is_fine && store_number(store, clickhouse_sql_version, &version, error);
	if (is_fine && !version) {
		strbuf_reset(&text);
		strbuf_printf(&text, "%d\n", CLICKHOUSE_SCHEMA);
		is_fine = store_insert(store, "profshim_schema", "version", &text, error);
	}
	return is_fine && store_check(store, error);
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

static bool show(struct store *store, struct doc *doc, struct strbuf *error)
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
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		long long number;

		if (facts[i].type == COLUMN_TEXT) {
			if (!store_ask(store, facts[i].sql, error))
				return false;
			add_line(doc, section, facts[i].name, facts[i].title,
				 strbuf_text(&store->reply.text));
			continue;
		}
		if (!store_number(store, facts[i].sql, &number, error))
			return false;
		doc_add(section, facts[i].name, facts[i].title, facts[i].type,
			cell_integer(number));
	}
	return true;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	const char *action = input->options->argument;
	const char *url = input->options->other_argument;
	bool is_init = strcmp(action, "init") == 0, is_fine;
	struct http *http;
	struct store store;

	if (!is_init && strcmp(action, "check") != 0)
		command_fail(STATUS_USAGE,
			     "fleet: there is no '%s'; there are init and check", action);
	if (strncmp(url, "clickhouse://", 13) != 0 &&
	    strncmp(url, "clickhouses://", 14) != 0)
		command_fail(STATUS_USAGE,
			     "fleet: '%s' is not a URL such as "
			     "clickhouse://host:8123/fleet",
			     url);
	if (!http_check_url(url, &input->error))
		return STATUS_USAGE;
	http = http_open(input->options->credentials, &input->error);
	if (!http)
		return STATUS_FAILED;
	is_fine = store_open(&store, http, url, &input->error) &&
		  (is_init ? make_tables(&store, &input->error)
			   : store_check(&store, &input->error)) &&
		  show(&store, doc, &input->error);
	store_close(&store);
	http_close(http);
	return is_fine ? STATUS_OK : STATUS_FAILED;
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
