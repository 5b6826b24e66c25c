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
 * A group is all runs of the file with one label; runs without label are grouped by
 * command and build. The ranks of a job count as one repetition.
 */
#include "analyzer/reports/compare/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/rundb/select.h"

#include "sides.sql.h"

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

static void take(struct compare_state *state, int64_t run_id, const char *job,
		 size_t side_start)
{
	struct rundb *db = state->input->db;
	struct compare_run taken = {.db = db, .run_id = run_id};

	for (size_t i = side_start; i < state->run_count; i++)
		if (state->runs[i].db == db && state->runs[i].run_id == run_id)
			return;
	taken.job = job ? doc_copy(state->doc, job) : NULL;
	taken.column = column_of(state, job, side_start);
	ARRAY_ADD(state->runs, state->run_count) = taken;
}

/* Adds the runs of the query. Returns how many, or -errno. */
/* Adds the runs of the query. Returns how many. */
static size_t take_all(struct compare_state *state, struct cursor *cursor,
		       size_t side_start)
{
	size_t count = 0;

	for (; cursor_next(cursor); count++)
		take(state, cursor_integer(cursor, "run_id"), cursor_text(cursor, "job"),
		     side_start);
	cursor_close(cursor);
	return count;
}

/* A query about two units; other 0: about one. */
static struct cursor *ask(struct compare_state *state, const char *sql, int64_t unit,
			  int64_t other)
{
	struct cursor *cursor = report_query(state->input, sql);

	cursor_bind_integer(cursor, ":unit", unit);
	if (other)
		cursor_bind_integer(cursor, ":other", other);
	return cursor;
}

/* "of ./app", without anything that may be long */
static void put_command(struct strbuf *text, const char *command)
{
	size_t size = command ? strcspn(command, " \n") : 0;

	if (!size)
		return;
	strbuf_puts(text, " of ");
	strbuf_add(text, command, size);
}

/* If nobody named the groups, says what was taken for one. */
static void explain_group(struct compare_state *state, int64_t unit, int64_t other)
{
	auto_cursor struct cursor *cursor = ask(state, sides_sql_taken, unit, other);
	struct strbuf *text = &state->choice;

	if (cursor_next(cursor)) {
		int64_t taken = cursor_integer(cursor, "taken");

		strbuf_printf(text, "%s%s: ", text->size ? " " : "",
			      rundb_path(state->input->db));
		units_counted(text, taken, "run");
		put_command(text, cursor_text(cursor, "command"));
		strbuf_printf(text,
			      " %s taken, with the command and the build of the latest; ",
			      taken == 1 ? "is" : "are");
		units_counted(text, cursor_integer(cursor, "left_out"), "other");
		strbuf_puts(text, " without a label left out.");
	}
}

static _Noreturn void unknown_run(struct rundb *db, const char *word)
{
	struct strbuf error = {0};
	int64_t unused;

	select_run(db, word, &unused, &error);
	command_fail(STATUS_FAILED, "%s", strbuf_text(&error));
}

/* Selects the runs that a word means in the files of a side; some file must have one. */
/* Selects the runs that a word means in the files of a side; some file must have one. */
static void select_word(struct compare_state *state, const char *word, size_t first,
			size_t end, size_t side_start)
{
	struct report_input *input = state->input;
	size_t found = 0;

	for (size_t i = first; i < end; i++) {
		struct cursor *cursor;

		input->db = input->databases[i];
		cursor = report_query(input, sides_sql_word);
		cursor_bind_text(cursor, ":word", word);
		found += take_all(state, cursor, side_start);
	}
	if (!found)
		unknown_run(input->databases[first], word);
}

/* The last unit of the current file, and the one before it. */
struct latest {
	int64_t unit, other, unit_count;
};

static struct latest find_latest(struct compare_state *state)
{
	struct report_input *input = state->input;
	auto_cursor struct cursor *cursor = report_query(input, sides_sql_latest);
	struct latest latest = {0};

	if (cursor_next(cursor))
		latest = (struct latest){cursor_integer(cursor, "unit"),
					 cursor_integer(cursor, "other"),
					 cursor_integer(cursor, "unit_count")};
	if (!latest.unit_count)
		unknown_run(input->db, NULL);
	return latest;
}

/* Selects what the words mean, or the latest run or group of each file. */
static void select_side(struct compare_state *state, const char *words, size_t first,
			size_t end)
{
	size_t side_start = state->run_count;
	char *rest = words ? xstrdup(words) : NULL, *word;

	while (rest && (word = strsep(&rest, ",")))
		select_word(state, word, first, end, side_start);
	for (size_t i = first; !words && i < end; i++) {
		int64_t unit;

		state->input->db = state->input->databases[i];
		unit = find_latest(state).unit;
		take_all(state, ask(state, sides_sql_group, unit, 0), side_start);
		explain_group(state, unit, 0);
	}
}

/* sql: the query for all runs of a side. */
/* sql: the query for all runs of a side. */
static void take_sides(struct compare_state *state, const char *sql, int64_t before,
		       int64_t after)
{
	take_all(state, ask(state, sql, before, 0), 0);
	state->before_count = state->run_count;
	take_all(state, ask(state, sql, after, 0), state->before_count);
}

/* One file without options: its last two groups, or its last two runs. */
/* One file without options: its last two groups, or its last two runs or jobs, whatever
 * they are. */
static void select_last_two(struct compare_state *state)
{
	struct report_input *input = state->input;
	struct latest latest;
	int64_t other = 0;

	input->db = input->databases[0];
	latest = find_latest(state);
	if (latest.unit_count == 1) {
		report_nothing(input,
			       "%s: holds one run, and a comparison takes two; "
			       "record another into it, or name a second file",
			       rundb_path(input->db));
		return;
	}
	auto_cursor struct cursor *cursor = ask(state, sides_sql_other, latest.unit, 0);
	if (cursor_next(cursor) && (other = cursor_integer(cursor, "unit"))) {
		bool is_before = cursor_integer(cursor, "is_before") != 0;

		take_sides(state, sides_sql_group, is_before ? other : latest.unit,
			   is_before ? latest.unit : other);
		explain_group(state, latest.unit, other);
		return;
	}
	if (latest.unit_count > 2)
		strbuf_printf(
			&state->choice,
			"The last two of %lld runs are compared: nothing says which "
			"of the others belong to a side.",
			(long long)latest.unit_count);
	take_sides(state, sides_sql_unit, latest.other, latest.unit);
}

static void check_overlap(struct compare_state *state)
{
	for (size_t i = 0; i < state->before_count; i++)
		for (size_t j = state->before_count; j < state->run_count; j++)
			if (state->runs[i].db == state->runs[j].db &&
			    state->runs[i].run_id == state->runs[j].run_id)
				command_fail(STATUS_USAGE,
					     "%s: run %lld is on both sides",
					     rundb_path(state->runs[i].db),
					     (long long)state->runs[i].run_id);
}

static void choose(struct compare_state *state)
{
	struct report_input *input = state->input;
	const struct report_options *options = input->options;
	size_t count = input->database_count, middle = input->before_databases;
	size_t before_end = count, after_start = 0;

	if (!middle && count == 1 && !options->before && !options->after) {
		select_last_two(state);
		return;
	}
	if (!middle && count == 1 && !(options->before && options->after))
		command_fail(STATUS_USAGE,
			     "--before and --after go together when one file has "
			     "both sides");
	if (!middle && count == 2 && !(options->before && options->after))
		middle = 1;
	if (middle)
		before_end = after_start = middle;
	else if (!(options->before && options->after))
		command_fail(STATUS_USAGE,
			     "which of %zu files are before and which after? Put "
			     "-- between them, or choose runs by --before and "
			     "--after",
			     count);
	select_side(state, options->before, 0, before_end);
	state->before_count = state->run_count;
	select_side(state, options->after, after_start, count);
	check_overlap(state);
}

void compare_choose(struct compare_state *state)
{
	choose(state);
	for (size_t i = 0; i < state->before_count; i++)
		if (state->runs[i].column >= state->before_columns)
			state->before_columns = state->runs[i].column + 1;
	state->column_count = state->before_columns;
	for (size_t i = state->before_count; i < state->run_count; i++) {
		state->runs[i].column += state->before_columns;
		if (state->runs[i].column >= state->column_count)
			state->column_count = state->runs[i].column + 1;
	}
}
