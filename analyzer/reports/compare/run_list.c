/* SPDX-License-Identifier: MIT */
/* Reading the runs of a file. */
#include "analyzer/reports/compare/run_list.h"

#include "common/base/array.h"
#include "analyzer/reports/common.h"

#include "run_list.sql.h"

#include <stdlib.h>
#include <string.h>

static const char *copy_text(struct run_list *list, struct cursor *cursor,
			     const char *column)
{
	const char *text = cursor_text(cursor, column);

	return text ? arena_copy(&list->texts, text, strlen(text)) : NULL;
}

int run_list_read(struct report_input *input, struct run_list *ret)
{
	struct cursor *cursor = report_query(input, run_list_sql_runs);

	*ret = (struct run_list){0};
	while (cursor_next(cursor) > 0) {
		int64_t run_id = cursor_integer(cursor, "run_id");
		int64_t unit = cursor_integer(cursor, "unit");

		ARRAY_ADD(ret->runs, ret->count) = (struct listed_run){
			run_id, unit, copy_text(ret, cursor, "label"),
			copy_text(ret, cursor, "command"), copy_text(ret, cursor, "job")};
		ret->unit_count += run_id == unit;
	}
	return report_finish(input, cursor);
}

void run_list_free(struct run_list *list)
{
	free(list->runs);
	arena_free(&list->texts);
}

/* Runs are in order of their numbers. NULL: it is none of them. */
static struct listed_run *find(const struct run_list *list, int64_t run_id)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->runs[middle].run_id < run_id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->count && list->runs[low].run_id == run_id ? &list->runs[low]
								     : NULL;
}

const struct listed_run *run_list_head(const struct run_list *list, size_t run)
{
	return find(list, list->runs[run].unit);
}

int run_list_group(struct report_input *input, const struct run_list *list, int64_t unit,
		   bool *ret)
{
	struct cursor *cursor = report_query(input, run_list_sql_group);

	memset(ret, 0, list->count * sizeof(*ret));
	cursor_bind_integer(cursor, ":unit", unit);
	while (cursor_next(cursor) > 0) {
		struct listed_run *run = find(list, cursor_integer(cursor, "run_id"));

		if (run)
			ret[run - list->runs] = true;
	}
	return report_finish(input, cursor);
}
