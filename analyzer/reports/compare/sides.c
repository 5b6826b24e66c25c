/* SPDX-License-Identifier: MIT */
/*
 * Which runs stand on which side of a comparison. Must not let a run stand on both sides
 * of one file.
 *
 *     compare A.db B.db                     each file's latest run or group
 *     compare A1.db A2.db -- B1.db B2.db    the same, several files a side
 *     compare run.db                        its last two runs or groups
 *     ... --before L,... --after L,...      runs by label or number
 *
 * A group is all runs of the file with a label or, of runs without, all of one command
 * and build. The ranks of a job are one repetition.
 */
#include "analyzer/reports/compare/parts.h"

#include "common/base/array.h"
#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/compare/run_list.h"
#include "analyzer/rundb/select.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The number of the run's repetition, from 0 on each side. */
static size_t column_of(struct compare_state *state, const char *job, size_t side_start)
{
	size_t next = 0;

	for (size_t i = side_start; i < state->run_count; i++) {
		if (job && state->runs[i].job && strcmp(job, state->runs[i].job) == 0)
			return state->runs[i].column;
		if (state->runs[i].column >= next)
			next = state->runs[i].column + 1;
	}
	return next;
}

static void take(struct compare_state *state, const struct run_list *list, size_t run,
		 size_t side_start)
{
	struct rundb *db = state->input->db;
	int64_t run_id = list->runs[run].run_id;
	const char *job = list->runs[run].job;
	struct compare_run taken = {.db = db, .run_id = run_id};

	for (size_t i = side_start; i < state->run_count; i++)
		if (state->runs[i].db == db && state->runs[i].run_id == run_id)
			return;
	taken.job = job ? doc_copy(state->doc, job) : NULL;
	taken.column = column_of(state, job, side_start);
	ARRAY_ADD(state->runs, state->run_count) = taken;
}

static bool has_label(const struct listed_run *run, const char *label)
{
	return run->label && strcmp(run->label, label) == 0;
}

/* All runs that a word means: a number, or else a label. Returns how many. */
static size_t take_word(struct compare_state *state, const struct run_list *list,
			const char *word, size_t side_start)
{
	char *end;
	long long number;
	size_t count = 0;

	errno = 0;
	number = strtoll(word, &end, 10);
	for (size_t i = 0; *word && !*end && !errno && i < list->count; i++)
		if (list->runs[i].run_id == number) {
			take(state, list, i, side_start);
			return 1;
		}
	for (size_t i = 0; i < list->count; i++)
		if (has_label(&list->runs[i], word)) {
			take(state, list, i, side_start);
			count++;
		}
	return count;
}

/* "of ./app", without what could be long */
static void put_command(struct strbuf *text, const char *command)
{
	size_t size = command ? strcspn(command, " \n") : 0;

	if (!size)
		return;
	strbuf_puts(text, " of ");
	strbuf_add(text, command, size);
}

/* Units without a label that are on neither side: nobody named the groups, so it is said
 * what was taken for one. other: the second group of the file, or NULL. */
static void explain_group(struct compare_state *state, const struct run_list *list,
			  const bool *members, const bool *other,
			  const struct listed_run *run)
{
	size_t taken = 0, left_out = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (list->runs[i].run_id != list->runs[i].unit)
			continue;
		taken += members[i];
		left_out += !members[i] && !(other && other[i]) && !list->runs[i].label;
	}
	if (run->label || !left_out)
		return;
	strbuf_printf(&state->choice, "%s%s: ", state->choice.size ? " " : "",
		      rundb_path(state->input->db));
	units_counted(&state->choice, (int64_t)taken, "run");
	put_command(&state->choice, run->command);
	strbuf_printf(&state->choice,
		      " %s taken, with the command and the build of the latest; ",
		      taken == 1 ? "is" : "are");
	units_counted(&state->choice, (int64_t)left_out, "other");
	strbuf_puts(&state->choice, " without a label left out.");
}

static void take_members(struct compare_state *state, const struct run_list *list,
			 const bool *members, size_t side_start)
{
	for (size_t i = 0; i < list->count; i++)
		if (members[i])
			take(state, list, i, side_start);
}

/* Takes the group of a run: units of one label, or of one command and build. */
static int take_group(struct compare_state *state, const struct run_list *list,
		      const struct listed_run *run, size_t side_start)
{
	bool *members = xcalloc(list->count + 1, sizeof(*members));
	int result = run_list_group(state->input, list, run->unit, members);

	if (result == 0) {
		take_members(state, list, members, side_start);
		explain_group(state, list, members, NULL, run);
	}
	free(members);
	return result;
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
		result = run_list_read(input, &list);
		if (result == 0)
			found += take_word(state, &list, word, side_start);
		run_list_free(&list);
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
		result = run_list_read(input, &list);
		if (result == 0 && list.count == 0) {
			unknown_run(input, input->db, NULL);
			result = -ENOENT;
		} else if (result == 0) {
			result = take_group(state, &list,
					    run_list_head(&list, list.count - 1),
					    side_start);
		}
		run_list_free(&list);
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

/* The latest run that is not in the group of the last, or NULL. A label wants a label
 * beside it: runs without one may be anything. */
static const struct listed_run *other_group(const struct run_list *list,
					    const bool *members)
{
	const struct listed_run *last = run_list_head(list, list->count - 1);

	for (size_t i = list->count; i-- > 0;) {
		const struct listed_run *head = run_list_head(list, i);

		if (!members[i] && !head->label == !last->label)
			return head;
	}
	return NULL;
}

/* The group that began first is before, unless the labels say it themselves: interleaved
 * runs may begin with either. */
static bool is_before(const struct run_list *list, const struct listed_run *a,
		      const struct listed_run *b, const bool *members_of_b)
{
	if (has_label(a, "after") || has_label(b, "before"))
		return false;
	if (has_label(a, "before") || has_label(b, "after"))
		return true;
	for (size_t i = 0; i < list->count; i++) {
		const struct listed_run *head = run_list_head(list, i);

		if (members_of_b[i])
			return false;
		if (head->unit == a->unit || (a->label && has_label(head, a->label)))
			return true;
	}
	return true;
}

/* The last run or job and the one that began before it, whatever they are. */
static void take_last_two(struct compare_state *state, const struct run_list *list)
{
	int64_t last = list->runs[list->count - 1].unit;
	size_t other = list->count;

	for (size_t i = list->count; i-- > 0 && other == list->count;)
		if (list->runs[i].unit != last)
			other = i;
	for (size_t i = 0; i < list->count; i++)
		if (list->runs[i].unit == list->runs[other].unit)
			take(state, list, i, 0);
	state->before_count = state->run_count;
	for (size_t i = 0; i < list->count; i++)
		if (list->runs[i].unit == last)
			take(state, list, i, state->before_count);
	if (list->unit_count > 2)
		strbuf_printf(&state->choice,
			      "The last two of %zu runs are compared: nothing says which "
			      "of the others belong to a side.",
			      list->unit_count);
}

static int take_two_groups(struct compare_state *state, const struct run_list *list)
{
	const struct listed_run *last = run_list_head(list, list->count - 1), *other;
	bool *last_group = xcalloc(list->count + 1, sizeof(*last_group));
	bool *group = xcalloc(list->count + 1, sizeof(*group));
	int result = run_list_group(state->input, list, last->unit, last_group);

	other = result == 0 ? other_group(list, last_group) : NULL;
	if (other)
		result = run_list_group(state->input, list, other->unit, group);
	if (result == 0 && !other) {
		take_last_two(state, list);
	} else if (result == 0) {
		bool other_first = is_before(list, other, last, last_group);

		take_members(state, list, other_first ? group : last_group, 0);
		state->before_count = state->run_count;
		take_members(state, list, other_first ? last_group : group,
			     state->run_count);
		explain_group(state, list, last_group, group, last);
	}
	free(last_group);
	free(group);
	return result;
}

/* One file, nothing said: its last two groups, or its last two runs. */
static enum exit_status select_last_two(struct compare_state *state)
{
	struct report_input *input = state->input;
	struct run_list list = {0};
	enum exit_status status = STATUS_OK;

	input->db = input->databases[0];
	if (run_list_read(input, &list) < 0)
		status = STATUS_FAILED;
	else if (list.count == 0)
		status = unknown_run(input, input->db, NULL);
	else if (list.unit_count == 1)
		status = report_fail(input, STATUS_NOTHING,
				     "%s: holds one run, and a comparison takes two; "
				     "record another into it, or name a second file",
				     rundb_path(input->db));
	else if (take_two_groups(state, &list) < 0)
		status = STATUS_FAILED;
	run_list_free(&list);
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

static enum exit_status choose(struct compare_state *state)
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

enum exit_status compare_choose(struct compare_state *state)
{
	enum exit_status status = choose(state);

	for (size_t i = 0; i < state->before_count; i++)
		if (state->runs[i].column >= state->before_columns)
			state->before_columns = state->runs[i].column + 1;
	state->column_count = state->before_columns;
	for (size_t i = state->before_count; i < state->run_count; i++) {
		state->runs[i].column += state->before_columns;
		if (state->runs[i].column >= state->column_count)
			state->column_count = state->runs[i].column + 1;
	}
	return status;
}
