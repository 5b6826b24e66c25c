/* SPDX-License-Identifier: MIT */
/*
 * Judges a new run. Exact counts are compared; counts that vary must leave the range that
 * they had, and times be slower than chance and the tolerance explain, over all that is
 * judged. Must not call a time worse that was seen before.
 */
#include "analyzer/reports/history/gate.h"

#include "analyzer/archive/archive.h"
#include "analyzer/reports/common.h"
#include "analyzer/rundb/select.h"
#include "analyzer/statistics/compare_judge.h"
#include "analyzer/statistics/levels.h"
#include "common/base/xalloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive.sql.h"
#include "history.sql.h"

struct gate_check {
	int64_t subject;
	const char *quantity;
	bool is_time, is_exact;
	double before, low, high, value;
	size_t count;
	struct statistics_shift ratio;
};

struct gate_checks {
	struct gate_check *list;
	double *p; /* of each */
	size_t count;
};

/* The number of the latest run of the archive that has the tags. */
static char *find_latest(struct report_input *input)
{
	auto_cursor struct cursor *cursor = NULL;

	rundb_keep(input->db, "chosen_runs", history_sql_chosen_runs, 0);
	cursor = rundb_query(input->db, history_sql_latest);
	return cursor_next(cursor)
		       ? xasprintf("%lld", (long long)cursor_integer(cursor, "run_id"))
		       : NULL;
}

static struct rundb *open_gated(struct report_input *input)
{
	const char *word = input->options->limits;

	if (strcmp(word, "latest") == 0)
		return archive_take(rundb_path(input->db), find_latest(input), false);
	if (access(word, F_OK) == 0)
		return input->open(input, word);
	return archive_take(rundb_path(input->db), word, false);
}

/* Fills a table with the rows of a query of the recording, columns by their names. */
static void copy(struct report_input *input, struct rundb *from, int64_t run_id,
		 const char *name, const char *columns, const char *sql)
{
	auto_cursor struct cursor *like = rundb_query(input->db, columns),
				  *cursor = rundb_query(from, sql);
	struct rundb_insert *insert = rundb_fill(input->db, name, columns);
	struct table *texts = table_new(&(struct column){.name = name}, 1);
	struct cell cells[16];

	cursor_bind_integer(cursor, ":run", run_id);
	while (cursor_next(cursor)) {
		for (int i = 0; i < cursor_column_count(like); i++) {
			const char *column = cursor_column_name(like, i);
			int at = cursor_find(cursor, column, strlen(column));

			cells[i] = cursor_cell(cursor, at, texts);
		}
		rundb_insert_row(insert, cells);
	}
	rundb_insert_end(insert);
	table_free(texts);
}

struct gate_checks *gate_checks_begin(struct report_input *input)
{
	struct rundb *from = open_gated(input);
	struct strbuf error = {0};
	int64_t run_id;

	if (select_run(from, NULL, &run_id, &error) < 0)
		command_fail(STATUS_FAILED, "%s", strbuf_text(&error));
	copy(input, from, run_id, "gated", history_sql_gated, archive_sql_run);
	copy(input, from, run_id, "gated_functions", history_sql_gated_functions,
	     archive_sql_functions);
	rundb_close(from);
	return xcalloc(1, sizeof(struct gate_checks));
}

void gate_checks_add(struct gate_checks *checks, const struct gate_check_of *of)
{
	double last = of->level[of->count - 1], p = NAN;
	struct gate_check check = {of->subject,	 of->quantity, of->is_time,
				   of->is_exact, last,	       last,
				   last,	 of->value,    of->count};

	for (size_t i = 0; i < of->count; i++) {
		check.low = fmin(check.low, of->level[i]);
		check.high = fmax(check.high, of->level[i]);
	}
	check.ratio = (struct statistics_shift){.low = NAN, .high = NAN};
	if (!of->is_exact) {
		p = levels_next(of->level, of->count, of->value, &check.ratio);
		check.before = check.ratio.estimate > 0 ? of->value / check.ratio.estimate
							: (check.low + check.high) / 2;
		check.ratio.low /= 1 + of->error;
		check.ratio.high *= 1 + of->error;
	}
	checks->p = xreallocarray(checks->p, checks->count + 1, sizeof(*checks->p));
	checks->p[checks->count] = p;
	ARRAY_ADD(checks->list, checks->count) = check;
}

/* Less is better. */
static enum outcome judge(const struct gate_check *check, double p)
{
	double tolerance = check->is_time ? verdict_tolerance(check->count, 1) : 0;
	bool is_inside = check->value >= check->low && check->value <= check->high;
	enum outcome outcome;

	if (is_inside)
		return OUTCOME_UNCHANGED;
	if (check->is_exact)
		return check->value > check->before ? OUTCOME_REGRESSED
						    : OUTCOME_IMPROVED;
	if (check->count < LEVELS_LEAST)
		return OUTCOME_OPEN;
	outcome = verdict_of(&check->ratio, p, tolerance);
	return outcome == OUTCOME_INCONCLUSIVE ? OUTCOME_UNCHANGED : outcome;
}

void gate_checks_end(struct gate_checks *checks, struct rundb *db)
{
	struct rundb_insert *insert =
		rundb_fill(db, "gate_checks", history_sql_gate_checks);

	if (checks)
		statistics_adjust(checks->p, checks->count);
	for (size_t i = 0; checks && i < checks->count; i++) {
		const struct gate_check *check = &checks->list[i];

		rundb_insert_row(
			insert,
			(struct cell[]){
				cell_integer(check->subject), cell_text(check->quantity),
				cell_integer(check->is_exact),
				cell_integer((int64_t)check->count),
				cell_real(check->before), cell_real(check->low),
				cell_real(check->high), cell_real(check->value),
				cell_real(check->ratio.low), cell_real(check->ratio.high),
				cell_real(checks->p[i]),
				cell_text(outcome_word(judge(check, checks->p[i])))});
	}
	rundb_insert_end(insert);
	if (checks) {
		free(checks->list);
		free(checks->p);
	}
	free(checks);
}
