/* SPDX-License-Identifier: MIT */
/*
 * What this is:  which runs stand on which side of a comparison.
 *
 *     compare A.db B.db                     each file's latest run or group
 *     compare A1.db A2.db -- B1.db B2.db    the same, several files a side
 *     compare run.db                        its last two runs or groups
 *     ... --before L,... --after L,...      runs by label or number
 *
 * A label names a group: all runs of the file that have it.
 *
 * Runs on:       prof-analyze, main thread.
 * Must not:      let a run stand on both sides of one file.
 * See also:      compare.sql; rundb/select.c, whose words for unknown runs are used.
 */
#include "analyzer/reports/compare.h"

#include "analyzer/base/xalloc.h"
#include "analyzer/rundb/select.h"

#include "compare.sql.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct listed_run {
	int64_t run_id;
	const char *label; /* NULL: none */
};

struct run_list {
	struct listed_run *runs;
	size_t count, capacity;
	struct arena texts;
};

static int list_runs(struct report_input *input, struct run_list *list)
{
	struct cursor *cursor;
	int result = report_query(input, compare_sql_runs, &cursor);

	if (result < 0)
		return result;
	while ((result = cursor_next(cursor)) > 0) {
		const char *label = cursor_text(cursor, 1);
		struct listed_run *run;

		list->runs = xgrow(list->runs, list->count, &list->capacity,
				   sizeof(*list->runs));
		run = &list->runs[list->count++];
		run->run_id = cursor_integer(cursor, 0);
		run->label = label && *label
				     ? arena_copy(&list->texts, label, strlen(label))
				     : NULL;
	}
	cursor_close(cursor);
	if (result < 0)
		report_fail_db(input);
	return result;
}

static void free_list(struct run_list *list)
{
	free(list->runs);
	arena_free(&list->texts);
}

static void take(struct compare_state *state, struct rundb *db, int64_t run_id,
		 size_t side_start)
{
	for (size_t i = side_start; i < state->run_count; i++)
		if (state->runs[i].db == db && state->runs[i].run_id == run_id)
			return;
	state->runs = xgrow(state->runs, state->run_count, &state->run_capacity,
			    sizeof(*state->runs));
	state->runs[state->run_count++] =
		(struct compare_run){.db = db, .run_id = run_id};
}

static bool has_label(const struct listed_run *run, const char *label)
{
	return run->label && strcmp(run->label, label) == 0;
}

/* All runs that a word means: a number, or else a label. Returns how many. */
static size_t take_word(struct compare_state *state, struct rundb *db,
			const struct run_list *list, const char *word, size_t side_start)
{
	char *end;
	long long number;
	size_t count = 0;

	errno = 0;
	number = strtoll(word, &end, 10);
	for (size_t i = 0; *word && !*end && !errno && i < list->count; i++)
		if (list->runs[i].run_id == number) {
			take(state, db, number, side_start);
			return 1;
		}
	for (size_t i = 0; i < list->count; i++)
		if (has_label(&list->runs[i], word)) {
			take(state, db, list->runs[i].run_id, side_start);
			count++;
		}
	return count;
}

/* The run, with its group when it has a label. */
static void take_group(struct compare_state *state, struct rundb *db,
		       const struct run_list *list, const struct listed_run *run,
		       size_t side_start)
{
	if (!run->label)
		take(state, db, run->run_id, side_start);
	for (size_t i = 0; run->label && i < list->count; i++)
		if (has_label(&list->runs[i], run->label))
			take(state, db, list->runs[i].run_id, side_start);
}

static enum exit_status unknown_run(struct report_input *input, struct rundb *db,
				    const char *word)
{
	int64_t unused;

	strbuf_reset(&input->error);
	select_run(db, word, &unused, &input->error);
	return STATUS_FAILED;
}

/* The runs of one word in the files of a side; some file must have one. */
static enum exit_status select_word(struct compare_state *state, const char *word,
				    size_t first, size_t end, size_t side_start)
{
	struct report_input *input = state->input;
	size_t found = 0;

	for (size_t i = first; i < end; i++) {
		struct run_list list = {0};
		int result;

		input->db = input->databases[i];
		result = list_runs(input, &list);
		if (result == 0)
			found += take_word(state, input->db, &list, word, side_start);
		free_list(&list);
		if (result < 0)
			return STATUS_FAILED;
	}
	return found ? STATUS_OK : unknown_run(input, input->databases[first], word);
}

static enum exit_status select_words(struct compare_state *state, const char *words,
				     size_t first, size_t end, size_t side_start)
{
	char *copy = xstrdup(words), *rest = copy, *word;
	enum exit_status status = STATUS_OK;

	while (status == STATUS_OK && (word = strsep(&rest, ",")))
		status = select_word(state, word, first, end, side_start);
	free(copy);
	return status;
}

/* The latest run or group of each file. */
static enum exit_status select_latest(struct compare_state *state, size_t first,
				      size_t end, size_t side_start)
{
	struct report_input *input = state->input;

	for (size_t i = first; i < end; i++) {
		struct run_list list = {0};
		int result;

		input->db = input->databases[i];
		result = list_runs(input, &list);
		if (result == 0 && list.count == 0) {
			unknown_run(input, input->db, NULL);
			result = -ENOENT;
		} else if (result == 0) {
			take_group(state, input->db, &list, &list.runs[list.count - 1],
				   side_start);
		}
		free_list(&list);
		if (result < 0)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

static enum exit_status select_side(struct compare_state *state, const char *words,
				    size_t first, size_t end)
{
	if (words)
		return select_words(state, words, first, end, state->run_count);
	return select_latest(state, first, end, state->run_count);
}

/* The latest run with another label than the last, or NULL. */
static const struct listed_run *other_group(const struct run_list *list)
{
	const struct listed_run *last = &list->runs[list->count - 1];

	for (size_t i = list->count - 1; last->label && i-- > 0;)
		if (list->runs[i].label && !has_label(&list->runs[i], last->label))
			return &list->runs[i];
	return NULL;
}

/* The group that began first is before, unless the labels say it themselves: interleaved
 * runs may begin with either. */
static bool is_before(const struct run_list *list, const struct listed_run *a,
		      const struct listed_run *b)
{
	if (has_label(a, "after") || has_label(b, "before"))
		return false;
	if (has_label(a, "before") || has_label(b, "after"))
		return true;
	for (size_t i = 0; i < list->count; i++) {
		if (has_label(&list->runs[i], a->label))
			return true;
		if (has_label(&list->runs[i], b->label))
			return false;
	}
	return true;
}

/* One file, nothing said: its last two groups, or its last two runs. */
static enum exit_status select_last_two(struct compare_state *state)
{
	struct report_input *input = state->input;
	const struct listed_run *last, *other;
	struct run_list list = {0};
	enum exit_status status = STATUS_OK;

	input->db = input->databases[0];
	if (list_runs(input, &list) < 0) {
		status = STATUS_FAILED;
	} else if (list.count == 0) {
		status = unknown_run(input, input->db, NULL);
	} else if (list.count == 1) {
		status = report_fail(input, STATUS_NOTHING,
				     "%s: holds one run, and a comparison takes two; "
				     "record another into it, or name a second file",
				     rundb_path(input->db));
	} else {
		last = &list.runs[list.count - 1];
		other = other_group(&list);
		if (!other) {
			take(state, input->db, last[-1].run_id, 0);
			state->before_count = 1;
			take(state, input->db, last->run_id, 1);
		} else {
			bool other_first = is_before(&list, other, last);

			take_group(state, input->db, &list, other_first ? other : last,
				   0);
			state->before_count = state->run_count;
			take_group(state, input->db, &list, other_first ? last : other,
				   state->run_count);
		}
	}
	free_list(&list);
	return status;
}

static enum exit_status check_overlap(struct compare_state *state)
{
	for (size_t i = 0; i < state->before_count; i++)
		for (size_t j = state->before_count; j < state->run_count; j++)
			if (state->runs[i].db == state->runs[j].db &&
			    state->runs[i].run_id == state->runs[j].run_id)
				return report_fail(state->input, STATUS_USAGE,
						   "%s: run %lld is on both sides",
						   rundb_path(state->runs[i].db),
						   (long long)state->runs[i].run_id);
	return STATUS_OK;
}

enum exit_status compare_choose(struct compare_state *state)
{
	struct report_input *input = state->input;
	const struct report_options *options = input->options;
	size_t count = input->database_count, middle = input->before_databases;
	size_t before_end = count, after_start = 0;
	enum exit_status status;

	if (!middle && count == 1 && !options->before && !options->after)
		return select_last_two(state);
	if (!middle && count == 1 && !(options->before && options->after))
		return report_fail(input, STATUS_USAGE,
				   "--before and --after go together when one file has "
				   "both sides");
	if (!middle && count == 2 && !(options->before && options->after))
		middle = 1;
	if (middle)
		before_end = after_start = middle;
	else if (!(options->before && options->after))
		return report_fail(input, STATUS_USAGE,
				   "which of %zu files are before and which after? Put "
				   "-- between them, or choose runs by --before and "
				   "--after",
				   count);
	status = select_side(state, options->before, 0, before_end);
	state->before_count = state->run_count;
	if (status == STATUS_OK)
		status = select_side(state, options->after, after_start, count);
	return status ? status : check_overlap(state);
}
