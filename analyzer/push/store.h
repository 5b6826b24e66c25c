/* SPDX-License-Identifier: MIT */
/*
 * The ClickHouse of a command, by its HTTP interface: queries as bodies, rows as
 * tab-separated text. What fails ends the command. Must not know what is stored.
 */
#pragma once

#include "common/base/text.h"

/* The version of the tables that clickhouse.sql makes. */
#define CLICKHOUSE_SCHEMA 1

/* url: clickhouse://HOST:8123/DATABASE, or clickhouses:// for TLS; borrowed. */
void store_open(const char *url, const char *credentials);
/* Runs a statement. The rows, valid until the next call. */
const char *store_ask(const char *sql);
/* Makes the database itself, if it is not there. */
void store_make_database(void);
/* The first number of the reply to a query. ret_rest (may be NULL): what is behind it. */
long long store_number(const char *sql, const char **ret_rest);
/* Adds rows. If it fails, the first of them may be there: a connection that is cut is
 * the end of the rows to the server, and of a number. So the last column has one
 * digit. */
void store_insert(const char *table, const char *columns, const struct strbuf *rows);
/* Appends one value of a row. NULL: 0. */
void store_put(struct strbuf *rows, const char *text);
/* Are there the tables of this version? */
void store_check(void);
