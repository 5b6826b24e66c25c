/* SPDX-License-Identifier: MIT */
/* A ClickHouse by HTTP, see store.h. */
#include "analyzer/push/store.h"

#include "analyzer/push/http.h"
#include "common/base/command.h"

#include "clickhouse.sql.h"

#include <stdlib.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
#define TYPE "text/plain; charset=utf-8"
#define TABLE_COUNT 5

static struct {
	const char *url;  /* as the user gave it */
	const char *name; /* of the database: letters, digits and _ */
	/* http://host:8123/, and the same with ?database=NAME */
	char *server, *base;
} store;

void store_open(const char *url, const char *credentials)
{
	const char *host = strstr(url, "://") + 3;
	int size = (int)strcspn(host, "/");

	http_open(url, credentials);
	store.url = url;
	store.name = host[size] ? host + size + 1 : "default";
	if (!*store.name || store.name[strspn(store.name, LETTERS)])
		command_fail(STATUS_FAILED,
			     "'%s' does not end in the name of a database: letters, "
			     "digits and _",
			     url);
	store.server = xasprintf("%s://%.*s/",
				 strncmp(url, "clickhouses", 11) == 0 ? "https" : "http",
				 size, host);
	store.base = xasprintf("%s?database=%s", store.server, store.name);
}

static _Noreturn void fail_without_tables(const char *which)
{
	command_fail(STATUS_FAILED,
		     "%s: has %s tables for runs: prof-analyze fleet init %s makes them",
		     store.url, which, store.url);
}

/* Code 60: no such table, 81: no such database. */
static const char *send(const char *url, const struct strbuf *body)
{
	const char *reply = http_send("POST", url, TYPE, body), *error;

	if (reply)
		return reply;
	error = http_error(&reply);
	if (strncmp(reply, "Code: 60,", 9) == 0 || strncmp(reply, "Code: 81,", 9) == 0)
		fail_without_tables("no");
	command_fail(STATUS_FAILED, "%s", error);
}

static const char *ask(const char *url, const char *sql)
{
	ended_by(strbuf_free) struct strbuf body = {0};

	strbuf_puts(&body, sql);
	return send(url, &body);
}

const char *store_ask(const char *sql)
{
	return ask(store.base, sql);
}

void store_make_database(void)
{
	auto_free char *sql = xasprintf("CREATE DATABASE IF NOT EXISTS %s", store.name);

	ask(store.server, sql);
}

long long store_number(const char *sql, const char **ret_rest)
{
	const char *text = store_ask(sql);
	char *end;
	long long number = strtoll(text, &end, 10);

	if (end == text || !strchr("\n\t", *end))
		command_fail(STATUS_FAILED, "%s: the server's answer is no number",
			     store.url);
	if (ret_rest)
		*ret_rest = end;
	return number;
}

void store_insert(const char *table, const char *columns, const struct strbuf *rows)
{
	ended_by(strbuf_free) struct strbuf url = {0};
	auto_free char *statement =
		xasprintf("INSERT INTO %s (%s) FORMAT TabSeparated", table, columns);

	strbuf_printf(&url, "%s&query=", store.base);
	http_escape(&url, statement);
	send(strbuf_text(&url), rows);
}

void store_put(struct strbuf *rows, const char *text)
{
	ended_by(strbuf_free) struct strbuf clean = {0};

	if (!text)
		text = "0";
	if (!text[strspn(text, "0123456789-")]) {
		strbuf_puts(rows, text);
		return;
	}
	utf8_clean(&clean, text); /* no tabs and no line ends are left */
	for (size_t i = 0; i < clean.size; i++) {
		if (clean.data[i] == '\\')
			strbuf_putc(rows, '\\');
		strbuf_putc(rows, clean.data[i]);
	}
}

void store_check(void)
{
	long long count = store_number(clickhouse_sql_has_tables, NULL), version;

	if (count < TABLE_COUNT)
		fail_without_tables(count ? "not all" : "no");
	version = store_number(clickhouse_sql_version, NULL);
	if (version != CLICKHOUSE_SCHEMA)
		command_fail(STATUS_FAILED,
			     "%s: the tables are of schema %lld, and this prof-analyze "
			     "knows schema %d",
			     store.url, version, CLICKHOUSE_SCHEMA);
}
