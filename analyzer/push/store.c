/* SPDX-License-Identifier: MIT */
/* A ClickHouse by HTTP, see store.h. */
#include "analyzer/push/store.h"

#include "analyzer/push/tables.h"
#include "common/base/text.h"

#include "clickhouse.sql.h"

#include <stdlib.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
#define TYPE "text/plain; charset=utf-8"
#define TABLE_COUNT 5

bool store_open(struct store *store, struct http *http, const char *url,
		struct strbuf *error)
{
	const char *host = strstr(url, "://") + 3;
	size_t size = strcspn(host, "/");
	const char *name = host[size] ? host + size + 1 : "default";

	*store = (struct store){.http = http, .url = url};
	if (!*name || name[strspn(name, LETTERS)]) {
		strbuf_printf(error,
			      "'%s' does not end in the name of a database: letters, "
			      "digits and _",
			      url);
		return false;
	}
	strbuf_printf(&store->server, "%s://%.*s/",
		      strncmp(url, "clickhouses", 11) == 0 ? "https" : "http", (int)size,
		      host);
	strbuf_puts(&store->database, name);
	strbuf_printf(&store->base, "%s?database=%s", strbuf_text(&store->server), name);
	return true;
}

void store_close(struct store *store)
{
	strbuf_free(&store->base);
	strbuf_free(&store->server);
	strbuf_free(&store->database);
	strbuf_free(&store->reply.text);
}

/* Code 60: no such table, 81: no such database. */
static bool send(struct store *store, const char *url, const struct strbuf *body,
		 struct strbuf *error)
{
	const char *text;

	if (http_send(store->http, "POST", url, TYPE, body, &store->reply, error))
		return true;
	text = strbuf_text(&store->reply.text);
	if (strncmp(text, "Code: 60,", 9) == 0 || strncmp(text, "Code: 81,", 9) == 0) {
		strbuf_reset(error);
		strbuf_printf(error,
			      "%s: has no tables for runs: prof-analyze fleet init %s "
			      "makes them",
			      store->url, store->url);
	}
	return false;
}

static bool ask(struct store *store, const struct strbuf *url, const char *sql,
		struct strbuf *error)
{
	ended_by(strbuf_free) struct strbuf body = {0};

	strbuf_puts(&body, sql);
	return send(store, strbuf_text(url), &body, error);
}

bool store_ask(struct store *store, const char *sql, struct strbuf *error)
{
	return ask(store, &store->base, sql, error);
}

bool store_ask_server(struct store *store, const char *sql, struct strbuf *error)
{
	return ask(store, &store->server, sql, error);
}

bool store_number(struct store *store, const char *sql, long long *ret,
		  struct strbuf *error)
{
	const char *text;
	char *end;

	if (!store_ask(store, sql, error))
		return false;
	text = strbuf_text(&store->reply.text);
	*ret = strtoll(text, &end, 10);
	if (end > text && strchr("\n\t", *end))
		return true;
	strbuf_printf(error, "%s: the server's answer is no number", store->url);
	return false;
}

bool store_insert(struct store *store, const char *table, const char *columns,
		  const struct strbuf *rows, struct strbuf *error)
{
	ended_by(strbuf_free) struct strbuf url = {0}, statement = {0};

	strbuf_printf(&statement, "INSERT INTO %s (%s) FORMAT TabSeparated", table,
		      columns);
	strbuf_printf(&url, "%s&query=", strbuf_text(&store->base));
	http_escape(&url, strbuf_text(&statement));
	return send(store, strbuf_text(&url), rows, error);
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

bool store_check(struct store *store, struct strbuf *error)
{
	long long count, version;

	if (!store_number(store, clickhouse_sql_has_tables, &count, error))
		return false;
	if (count < TABLE_COUNT) {
		strbuf_printf(error,
			      "%s: has %s tables for runs: prof-analyze fleet init %s "
			      "makes them",
			      store->url, count ? "not all" : "no", store->url);
		return false;
	}
	if (!store_number(store, clickhouse_sql_version, &version, error))
		return false;
	if (version == CLICKHOUSE_SCHEMA)
		return true;
	strbuf_printf(error,
		      "%s: the tables are of schema %lld, and this prof-analyze knows "
		      "schema %d",
		      store->url, version, CLICKHOUSE_SCHEMA);
	return false;
}
