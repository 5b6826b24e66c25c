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
	const char *table;
	struct strbuf rows, columns;
	bool is_by_hash; /* the first column is a hash; rows that are there are not sent
			  */
	size_t *ends;	 /* of each row */
	int64_t *keys;	 /* its hash */
	size_t end_count, key_count;
};

struct pushing {
	struct report_input *input;
	char day[16], token[80];
	int64_t stacks; /* measured */
};

static int compare(const void *a, const void *b)
{
	const int64_t *left = a, *right = b;

	return ORDER(*left, *right);
}

/* The numbers of a reply, sorted. */
static int64_t *numbers_of(const char *text, size_t *ret_count)
{
	int64_t *numbers = NULL;
	char *end;

	*ret_count = 0;
	for (; *text; text = end + strspn(end, "\n")) {
		int64_t number = strtoll(text, &end, 10);

		if (end == text)
			break;
		ARRAY_ADD(numbers, *ret_count) = number;
	}
	if (*ret_count)
		qsort(numbers, *ret_count, sizeof(*numbers), compare);
	return numbers;
}

/* Leaves the rows of a batch that the table does not have. */
static void keep_new(struct batch *batch)
{
	struct strbuf text = {0};
	auto_free int64_t *there = NULL;
	size_t count, begin = 0;

	/* a list of numbers takes the server four times as long to read */
	strbuf_printf(&text,
		      "SELECT DISTINCT hash FROM %s WHERE hash IN "
		      "(SELECT toInt64(arrayJoin(splitByChar(',', '",
		      batch->table);
	for (size_t i = 0; i < batch->key_count; i++)
		strbuf_printf(&text, "%s%lld", i ? "," : "", (long long)batch->keys[i]);
	strbuf_puts(&text, "'))))");
	there = numbers_of(store_ask(strbuf_text(&text)), &count);
	strbuf_reset(&text);
	for (size_t i = 0; i < batch->end_count; begin = batch->ends[i++])
		if (!count ||
		    !bsearch(&batch->keys[i], there, count, sizeof(*there), compare))
			strbuf_add(&text, batch->rows.data + begin,
				   batch->ends[i] - begin);
	strbuf_free(&batch->rows);
	batch->rows = text;
}

static void flush(struct batch *batch)
{
	if (batch->key_count)
		keep_new(batch);
	if (batch->rows.size)
		store_insert(batch->table, strbuf_text(&batch->columns), &batch->rows);
	strbuf_reset(&batch->rows);
	free(batch->ends);
	free(batch->keys);
	batch->ends = NULL;
	batch->keys = NULL;
	batch->end_count = batch->key_count = 0;
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

/* Sends the rows of a query from the one at skip on. Returns how many there are. */
static int64_t send_rows(struct pushing *pushing, const char *table, const char *sql,
			 bool is_by_hash, int64_t skip)
{
	struct batch batch = {.table = table, .is_by_hash = is_by_hash};
	struct cursor *cursor = begin(pushing, sql);
	int64_t count = 0;

	while (cursor_next(cursor)) {
		if (count++ < skip)
			continue;
		add_row(&batch, cursor);
		if (batch.rows.size >= BATCH_BYTES || batch.end_count == ASKED_ROWS)
			flush(&batch);
	}
	cursor_close(cursor);
	flush(&batch);
	return count;
}

/* Asks a query about the rows of this run. */
static long long ask_of_run(struct pushing *pushing, const char *sql,
			    const char **ret_rest)
{
	auto_free char *text = xasprintf("%s WHERE day = '%s' AND token = '%s'", sql,
					 pushing->day, pushing->token);

	return store_number(text, ret_rest);
}

/* How many measurements an earlier push has left, if they are the first ones of ours:
 * those of another version may be others, and then all are sent. */
static int64_t find_start(struct pushing *pushing)
{
	const char *rest;
	long long count = ask_of_run(pushing, clickhouse_sql_so_far, &rest);
	int64_t row = 0, last = 0;
	struct cursor *cursor;

	if (!count || *rest != '\t')
		return 0;
	cursor = begin(pushing, clickhouse_rows_sql_measurements);
	while (row < count && cursor_next(cursor)) {
		row++;
		last = cursor_integer(cursor, "stack");
	}
	cursor_close(cursor);
	return row == count && last == strtoll(rest, NULL, 10) ? row : 0;
}

static void read_identity(struct pushing *pushing)
{
	struct cursor *cursor =
		report_query(pushing->input, clickhouse_rows_sql_identity);
	const char *token = cursor_next(cursor) ? cursor_text(cursor, "token") : NULL;
	size_t size = token ? strspn(token, "0123456789abcdef") : 0;

	if (size && !token[size] && size < sizeof(pushing->token)) {
		memcpy(pushing->token, token, size + 1);
		snprintf(pushing->day, sizeof(pushing->day), "%s",
			 cursor_text(cursor, "day"));
	}
	cursor_close(cursor);
	if (!*pushing->token)
		command_fail(STATUS_FAILED, "%s: run %lld has no identity",
			     rundb_path(pushing->input->db),
			     (long long)pushing->input->run_id);
}

void clickhouse_push(struct push *push)
{
	struct pushing pushing = {.input = push->input};

	strbuf_puts(&push->where, push->url);
	read_identity(&pushing);
	store_check();
	push->was_there = ask_of_run(&pushing, clickhouse_sql_there, NULL) > 0;
	if (push->was_there)
		return;
	hashes_keep(push->input);
	send_rows(&pushing, "profshim_functions", clickhouse_rows_sql_functions, true, 0);
	send_rows(&pushing, "profshim_stacks", clickhouse_rows_sql_stacks, true, 0);
	pushing.stacks =
		send_rows(&pushing, "profshim_measurements",
			  clickhouse_rows_sql_measurements, false, find_start(&pushing));
	send_rows(&pushing, "profshim_runs", clickhouse_rows_sql_run, false, 0);
}
