/* SPDX-License-Identifier: MIT */
/*
 * A ClickHouse by its HTTP interface: queries as bodies, rows as tab-separated text. Must
 * not know what is stored.
 */
#pragma once

#include "analyzer/push/http.h"
#include "common/base/command.h"

struct store {
	struct http *http;
	const char *url;	/* as the user gave it */
	struct strbuf base;	/* http://host:8123/?database=NAME */
	struct strbuf server;	/* the same without the database */
	struct strbuf database; /* its name: letters, digits and _ */
	struct http_reply reply;
};

/* url: clickhouse://HOST:8123/DATABASE, or clickhouses:// for TLS; it and http are
 * borrowed. */
bool store_open(struct store *store, struct http *http, const char *url,
		struct strbuf *error);
void store_close(struct store *store);
/* Runs a statement; store->reply.text has the rows. */
bool store_ask(struct store *store, const char *sql, struct strbuf *error);
/* The same without choosing the database, which may not be there yet. */
bool store_ask_server(struct store *store, const char *sql, struct strbuf *error);
/* The first number of the reply to a query. */
bool store_number(struct store *store, const char *sql, long long *ret,
		  struct strbuf *error);
/* Adds rows. If it fails, the first of them may be there: a connection that is cut is
 * the end of the rows to the server, and of a number. So the last column has one
 * digit. */
bool store_insert(struct store *store, const char *table, const char *columns,
		  const struct strbuf *rows, struct strbuf *error);
/* Appends one value of a row. NULL: 0. */
void store_put(struct strbuf *rows, const char *text);
/* What there is: the tables of this version. False: there are none, or of another. */
bool store_check(struct store *store, struct strbuf *error);
