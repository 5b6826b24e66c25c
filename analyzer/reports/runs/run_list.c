/* SPDX-License-Identifier: MIT */
/*
 * The runs of a file as repetitions. Must not trust that labels, jobs or builds are what
 * they seem: any text may stand there.
 *
 * A launcher begins n processes, which are recorded as n runs with the same job and
 * different ranks. When a job has a rank twice, another program was begun in it (or the
 * launcher used its number again): the second is another unit.
 */
#include "analyzer/reports/runs/run_list.h"

#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"

#include "run_list.sql.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How often this rank of this job has come before. */
struct appearances {
	struct intern ranks;
	size_t *counts;
	size_t capacity;
};

static size_t appear(struct appearances *appearances, const char *job, int64_t rank)
{
	struct strbuf key = {0};
	uint32_t number;
	bool is_new;

	strbuf_printf(&key, "%" PRId64 " %s", rank, job);
	number = intern_text(&appearances->ranks, strbuf_text(&key), &is_new);
	strbuf_free(&key);
	if (is_new) {
		appearances->counts = xgrow(appearances->counts, number,
					    &appearances->capacity, sizeof(size_t));
		appearances->counts[number] = 0;
	}
	return appearances->counts[number]++;
}

static const char *copy_text(struct run_list *list, struct cursor *cursor,
			     const char *column)
{
	const char *text = cursor_text(cursor, column);

	return text && *text ? arena_copy(&list->texts, text, strlen(text)) : NULL;
}

/* Names of jobs begin with 'j', those of single runs with 'r'. */
static void add(struct run_list *list, struct cursor *cursor,
		struct appearances *appearances, int64_t *lowest)
{
	const char *job = cursor_text(cursor, "job");
	int64_t rank =
		cursor_is_null(cursor, "rank") ? -1 : cursor_integer(cursor, "rank");
	struct strbuf name = {0};
	struct listed_run *run;
	bool is_new;

	list->runs = xgrow(list->runs, list->count, &list->capacity, sizeof(*list->runs));
	run = &list->runs[list->count];
	run->run_id = cursor_integer(cursor, "run_id");
	run->label = copy_text(list, cursor, "label");
	run->command = copy_text(list, cursor, "command");
	run->rank = rank;
	if (job && *job && rank >= 0)
		strbuf_printf(&name, "j%zu %s", appear(appearances, job, rank), job);
	else
		strbuf_printf(&name, "r%" PRId64, run->run_id);
	run->unit = intern_text(&list->units, strbuf_text(&name), &is_new);
	strbuf_free(&name);
	if (is_new || rank < lowest[run->unit]) {
		list->unit_runs[run->unit] = list->count;
		lowest[run->unit] = rank;
	}
	list->unit_count = list->units.count;
	list->count++;
}

int run_list_read(struct report_input *input, struct run_list *ret)
{
	struct appearances appearances = {0};
	size_t unit_capacity = 0, lowest_capacity = 0;
	int64_t *lowest = NULL; /* rank of each unit */
	struct cursor *cursor = report_query(input, run_list_sql_runs);

	*ret = (struct run_list){0};
	while (cursor_next(cursor) > 0) {
		ret->unit_runs = xgrow(ret->unit_runs, ret->unit_count, &unit_capacity,
				       sizeof(*ret->unit_runs));
		lowest =
			xgrow(lowest, ret->unit_count, &lowest_capacity, sizeof(*lowest));
		add(ret, cursor, &appearances, lowest);
	}
	free(lowest);
	free(appearances.counts);
	intern_free(&appearances.ranks);
	return report_finish(input, cursor);
}

void run_list_free(struct run_list *list)
{
	free(list->runs);
	free(list->unit_runs);
	intern_free(&list->units);
	arena_free(&list->texts);
}

const char *run_list_job(const struct run_list *list, size_t run)
{
	const char *name = intern_name(&list->units, list->runs[run].unit);

	return *name == 'j' ? name : NULL;
}

const struct listed_run *run_list_head(const struct run_list *list, size_t run)
{
	return &list->runs[list->unit_runs[list->runs[run].unit]];
}

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Runs are in order of their numbers. */
static const struct listed_run *find(const struct run_list *list, int64_t run_id)
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

static int leave_out_other_builds(struct report_input *input, const struct run_list *list,
				  int64_t run_id, bool *ret)
{
	struct cursor *cursor = rundb_query(input->db, run_list_sql_other_builds);

	cursor_bind_integer(cursor, ":run", run_id);
	while (cursor_next(cursor) > 0) {
		const struct listed_run *run =
			find(list, cursor_integer(cursor, "run_id"));

		/* Ranks of one job may be of several programs. */
		if (run && run == run_list_head(list, (size_t)(run - list->runs)))
			ret[run->unit] = false;
	}
	return report_finish(input, cursor);
}

int run_list_group(struct report_input *input, const struct run_list *list, uint32_t unit,
		   bool *ret)
{
	const struct listed_run *wanted = &list->runs[list->unit_runs[unit]];

	for (size_t i = 0; i < list->unit_count; i++) {
		const struct listed_run *run = &list->runs[list->unit_runs[i]];

		ret[i] = i == unit ||
			 (same(run->label, wanted->label) &&
			  (run->label || same(run->command, wanted->command)));
	}
	if (wanted->label)
		return 0;
	return leave_out_other_builds(input, list, wanted->run_id, ret);
}
