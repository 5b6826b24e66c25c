/* SPDX-License-Identifier: MIT */
/*
 * Pushes a run to a fleet's ClickHouse. Functions and stacks that are there already are
 * not sent again. The run's own row comes last: without it the run does not count, and
 * the next push goes on where this one was cut. Must not hold more of a run than a batch,
 * its ids and its hashes.
 */
#include "analyzer/push/hashes.h"
#include "analyzer/push/store.h"
#include "analyzer/push/target.h"

#include "analyzer/reports/common.h"
#include "common/base/xalloc.h"

#include "clickhouse.sql.h"
#include "clickhouse_rows.sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_BYTES (4u << 20)
/* A query may have 256 KiB, and a reply too. */
#define ASKED_ROWS 8000u

struct batch {
	struct strbuf rows, columns;
	bool is_by_hash; /* the first column is a hash; rows that are there are not sent
			  */
	size_t *ends;	 /* of each row */
	int64_t *keys;	 /* its hash */
	size_t end_count, key_count;
};

struct pushing {
	struct report_input *input;
	struct store store;
	char day[16], token[80];
	int64_t stacks; /* measured */
};

static int compare(const void *a, const void *b)
{
	const int64_t *left = a, *right = b;

	return ORDER(*left, *right);
}

/* The numbers of a reply, sorted. */
static int64_t *numbers_of(const struct strbuf *text, size_t *ret_count)
{
	int64_t *numbers = NULL;
	const char *at = strbuf_text(text);
	char *end;

	*ret_count = 0;
	for (; *at; at = end + strspn(end, "\n")) {
		int64_t number = strtoll(at, &end, 10);

		if (end == at)
			break;
		ARRAY_ADD(numbers, *ret_count) = number;
	}
	if (*ret_count)
		qsort(numbers, *ret_count, sizeof(*numbers), compare);
	return numbers;
}

/* Leaves the rows of a batch that the table does not have. */
static bool keep_new(struct pushing *pushing, const char *table, struct batch *batch)
{
	struct strbuf text = {0};
	int64_t *there;
	size_t count, begin = 0;
	bool is_fine;

	/* a list of numbers takes the server four times as long to read */
	strbuf_printf(&text,
		      "SELECT DISTINCT hash FROM %s WHERE hash IN "
		      "(SELECT toInt64(arrayJoin(splitByChar(',', '",
		      table);
	for (size_t i = 0; i < batch->key_count; i++)
		strbuf_printf(&text, "%s%lld", i ? "," : "", (long long)batch->keys[i]);
	strbuf_puts(&text, "'))))");
	is_fine = store_ask(&pushing->store, strbuf_text(&text), &pushing->input->error);
	there = numbers_of(&pushing->store.reply.text, &count);
	strbuf_reset(&text);
	for (size_t i = 0; i < batch->end_count; begin = batch->ends[i++])
		if (!count ||
		    !bsearch(&batch->keys[i], there, count, sizeof(*there), compare))
			strbuf_add(&text, batch->rows.data + begin,
				   batch->ends[i] - begin);
	free(there);
	strbuf_free(&batch->rows);
	batch->rows = text;
	return is_fine;
}

static bool flush(struct pushing *pushing, const char *table, struct batch *batch)
{
	bool is_fine = true;

	if (batch->is_by_hash && batch->key_count)
		is_fine = keep_new(pushing, table, batch);
	if (is_fine && batch->rows.size)
		is_fine =
			store_insert(&pushing->store, table, strbuf_text(&batch->columns),
				     &batch->rows, &pushing->input->error);
	strbuf_reset(&batch->rows);
	free(batch->ends);
	free(batch->keys);
	batch->ends = NULL;
	batch->keys = NULL;
	batch->end_count = batch->key_count = 0;
	return is_fine;
}

static void add_row(struct batch *batch, struct cursor *cursor)
{
	int count = cursor_column_count(cursor);

	if (!batch->columns.size)
		for (int i = 0; i < count; i++)
			strbuf_printf(&batch->columns, "%s%s", i ? ", " : "",
				      cursor_column_name(cursor, i));
	for (int i = 0; i < count; i++) {
		store_put(&batch->rows, cursor_text_at(cursor, i));
		strbuf_putc(&batch->rows, i + 1 < count ? '\t' : '\n');
	}
	if (!batch->is_by_hash)
		return;
	ARRAY_ADD(batch->ends, batch->end_count) = batch->rows.size;
	ARRAY_ADD(batch->keys, batch->key_count) = cursor_integer(cursor, "hash");
}

static struct cursor *begin(struct pushing *pushing, const char *sql)
{
	struct cursor *cursor = report_query(pushing->input, sql);

	cursor_bind_text(cursor, ":day", pushing->day);
	cursor_bind_text(cursor, ":token", pushing->token);
	cursor_bind_integer(cursor, ":stacks", pushing->stacks);
	return cursor;
}

/* Sends the rows of a query from the one at skip on; ret_count: all. */
static bool send_rows(struct pushing *pushing, const char *table, const char *sql,
		      bool is_by_hash, int64_t skip, int64_t *ret_count)
{
	struct batch batch = {.is_by_hash = is_by_hash};
	struct cursor *cursor = begin(pushing, sql);
	bool is_fine = true;

	for (*ret_count = 0; is_fine && cursor_next(cursor) > 0;) {
		if ((*ret_count)++ < skip)
			continue;
		add_row(&batch, cursor);
		if (batch.rows.size >= BATCH_BYTES || batch.end_count == ASKED_ROWS)
			is_fine = flush(pushing, table, &batch);
	}
	if (is_fine)
		is_fine = report_finish(pushing->input, cursor) == 0;
	else
		cursor_close(cursor);
	if (is_fine)
		is_fine = flush(pushing, table, &batch);
	strbuf_free(&batch.rows);
	strbuf_free(&batch.columns);
	free(batch.ends);
	free(batch.keys);
	return is_fine;
}

/* Asks a query about the rows of this run. */
static bool ask_of_run(struct pushing *pushing, const char *sql, long long *ret)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	strbuf_printf(&text, "%s WHERE day = '%s' AND token = '%s'", sql, pushing->day,
		      pushing->token);
	return store_number(&pushing->store, strbuf_text(&text), ret,
			    &pushing->input->error);
}

/* How many measurements an earlier push has left, if they are the first ones of ours:
 * those of another version may be others, and then all are sent. */
static bool find_start(struct pushing *pushing, int64_t *ret)
{
	const char *tab;
	struct cursor *cursor;
	long long count;
	int64_t row = 0, last = 0;

	*ret = 0;
	if (!ask_of_run(pushing, clickhouse_sql_so_far, &count))
		return false;
	tab = strchr(strbuf_text(&pushing->store.reply.text), '\t');
	if (!count || !tab)
		return true;
	cursor = begin(pushing, clickhouse_rows_sql_measurements);
	while (row < count && cursor_next(cursor) > 0) {
		row++;
		last = cursor_integer(cursor, "stack");
	}
	cursor_close(cursor);
	if (row == count && last == strtoll(tab, NULL, 10))
		*ret = row;
	return true;
}

static bool read_identity(struct pushing *pushing)
{
	struct cursor *cursor =
		report_query(pushing->input, clickhouse_rows_sql_identity);
	const char *token = cursor_next(cursor) > 0 ? cursor_text(cursor, "token") : NULL;
	size_t size = token ? strspn(token, "0123456789abcdef") : 0;

	if (size && !token[size] && size < sizeof(pushing->token)) {
		memcpy(pushing->token, token, size + 1);
		snprintf(pushing->day, sizeof(pushing->day), "%s",
			 cursor_text(cursor, "day"));
	}
	if (report_finish(pushing->input, cursor) < 0)
		return false;
	if (*pushing->token)
		return true;
	command_fail(STATUS_FAILED, "%s: run %lld has no identity",
		     rundb_path(pushing->input->db), (long long)pushing->input->run_id);
	return false;
}

static bool send_run(struct pushing *pushing)
{
	int64_t start, count;

	return send_rows(pushing, "profshim_functions", clickhouse_rows_sql_functions,
			 true, 0, &count) &&
	       send_rows(pushing, "profshim_stacks", clickhouse_rows_sql_stacks, true, 0,
			 &count) &&
	       find_start(pushing, &start) &&
	       send_rows(pushing, "profshim_measurements",
			 clickhouse_rows_sql_measurements, false, start,
			 &pushing->stacks) &&
	       send_rows(pushing, "profshim_runs", clickhouse_rows_sql_run, false, 0,
			 &count);
}

enum exit_status clickhouse_push(struct push *push)
{
	struct pushing pushing = {.input = push->input};
	struct strbuf *error = &push->input->error;
	struct hashes hashes = {0};
	long long there = 0;
	bool is_fine;

	strbuf_puts(&push->where, push->url);
	is_fine = store_open(&pushing.store, push->http, push->url, error) &&
		  read_identity(&pushing) && store_check(&pushing.store, error) &&
		  ask_of_run(&pushing, clickhouse_sql_there, &there);
	push->was_there = there > 0;
	if (is_fine && !there) {
		is_fine = hashes_begin(push->input, &hashes) && send_run(&pushing);
		hashes_end(push->input, &hashes);
	}
	store_close(&pushing.store);
	return is_fine ? STATUS_OK : STATUS_FAILED;
}
