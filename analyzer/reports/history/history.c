/* SPDX-License-Identifier: MIT */
/*
 * The command history: reads what functions did in the runs of an archive, looks for
 * changes, and keeps what it found as tables for ../sql/history.sql. Must not compare
 * runs of different levels, hosts or workloads, or times that were taken in different
 * ways.
 */
#include "analyzer/reports/history/gate.h"

#include "analyzer/statistics/levels.h"

#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/engine.h"
#include "analyzer/reports/engine/sections.h"
#include "analyzer/statistics/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "history.sql.h"

#define ALPHA 0.05 /* that any change is found where there is none */
#define CONFIDENCE 0.95
#define SMALL_SHARE                                                                      \
	0.001 /* of the CPU time: smaller functions' times are not looked at */
#define RUNS_MOST 10000
#define SUBJECTS_MOST 1000000
#define NUMBERS_MOST (64u << 20)
/* A count that changes more often than in every fifth run is noisy. */
#define STEADY 5

enum kind {
	CALLS,
	CPU,
	TOTAL,
	BLOCKED,
	ALLOC_COUNT,
	ALLOC_BYTES,
	PEAK,
	ERROR, /* of the times; not judged itself */
	KINDS,
	JUDGED = ERROR
};

static const struct {
	const char *name;
	bool is_time;
} kinds[KINDS] = {
	[CALLS] = {"calls", false},
	[CPU] = {"cpu_ns", true},
	[TOTAL] = {"total_ns", true},
	[BLOCKED] = {"blocked_ns", true},
	[ALLOC_COUNT] = {"alloc_count", false},
	[ALLOC_BYTES] = {"alloc_bytes", false},
	[PEAK] = {"peak_bytes", false},
	[ERROR] = {"error_ns", true},
};

/* What one subject did in each run, and behind these in the one that is judged by them;
 * recording 0: it is not there, else one more. */
struct course {
	int64_t *values[KINDS];
	uint8_t *recording;
};

struct history {
	struct report_input *input;
	size_t runs, subjects, judged;
	struct course *courses;	  /* by subject; those without values are zeroed */
	int64_t *builds;	  /* of each run; alike: of one version and commit */
	struct gate_checks *gate; /* NULL: no run is judged */
	struct rundb_insert *changes, *levels, *there;
	int64_t only; /* the subject that was asked for; 0: all */
	size_t small, otherwise;
	/* of the course at hand: its values, and in which runs they are */
	double *numbers, *scratch;
	size_t *places, *found, count;
};

/* The only number of the only row; 0: none. */
static size_t ask_number(struct history *history, const char *sql)
{
	auto_cursor struct cursor *cursor = rundb_query(history->input->db, sql);
	double number = cursor_next(cursor) ? cursor_real_at(cursor, 0) : 0;

	return number > 0 && number < 1e9 ? (size_t)number : 0;
}

static void keep_wanted_tags(struct history *history)
{
	const struct report_options *options = history->input->options;
	struct rundb_insert *insert =
		rundb_fill(history->input->db, "wanted_tags", history_sql_wanted_tags);

	for (size_t i = 0; i < options->tag_count; i++)
		rundb_insert_row(insert, (struct cell[]){cell_text(options->tags[i])});
	rundb_insert_end(insert);
}

static void choose_runs(struct history *history)
{
	struct rundb *db = history->input->db;

	rundb_keep(db, "chosen_runs", history_sql_chosen_runs, 0);
	history->runs = ask_number(history, history_sql_count);
	history->subjects = ask_number(history, history_sql_subjects) + 1;
	if (history->runs > RUNS_MOST || history->subjects > SUBJECTS_MOST)
		command_fail(STATUS_FAILED,
			     "%s: has more runs or functions than can be compared; "
			     "--tag chooses runs",
			     rundb_path(db));
}

static void find_subject(struct history *history)
{
	struct report_input *input = history->input;
	struct cursor *cursor = rundb_query(input->db, history_sql_named);
	struct strbuf list = {0};
	size_t count = 0;

	cursor_bind_text(cursor, ":argument", input->options->argument);
	while (cursor_next(cursor)) {
		history->only = cursor_integer(cursor, "subject_id");
		if (count++ < 5)
			strbuf_printf(&list, "%s%s", count > 1 ? ", " : ": ",
				      cursor_text(cursor, "name"));
	}
	cursor_close(cursor);
	if (count != 1)
		command_fail(STATUS_FAILED, "%s: %s '%s'%s", rundb_path(input->db),
			     count ? "several functions are like"
				   : "no run has a function",
			     input->options->argument, strbuf_text(&list));
}

static void make_course(struct history *history, struct course *course)
{
	for (size_t i = 0; i < KINDS; i++)
		course->values[i] =
			xcalloc(history->runs + 1, sizeof(*course->values[i]));
	course->recording = xcalloc(history->runs + 1, 1);
}

static void load(struct history *history, const char *sql)
{
	auto_cursor struct cursor *cursor = rundb_query(history->input->db, sql);
	size_t made = 0;

	/* one subject, or all but the run as a whole */
	cursor_bind_integer(cursor, ":first", history->only ?: 1);
	cursor_bind_integer(cursor, ":last", history->only ?: SUBJECTS_MOST);
	while (cursor_next(cursor)) {
		uint64_t place = (uint64_t)cursor_integer(cursor, "place");
		uint64_t subject = (uint64_t)cursor_integer(cursor, "subject_id");
		struct course *course;

		if (place > history->runs || subject >= history->subjects)
			continue;
		course = &history->courses[subject];
		if (!course->recording && ++made * history->runs > NUMBERS_MOST / KINDS)
			continue;
		if (!course->recording)
			make_course(history, course);
		course->recording[place] =
			(uint8_t)(cursor_integer(cursor, "recording") & 7) + 1;
		for (enum kind k = 0; k < KINDS; k++)
			course->values[k][place] = cursor_integer(cursor, kinds[k].name);
	}
}

static void load_builds(struct history *history)
{
	auto_cursor struct cursor *cursor =
		rundb_query(history->input->db, history_sql_builds);

	while (cursor_next(cursor))
		history->builds[cursor_integer(cursor, "place")] =
			cursor_integer(cursor, "build");
}

/* The runs in which the function is, and, of times, in which it was timed as in the last
 * of these. */
static void take_course(struct history *history, const struct course *course,
			enum kind kind)
{
	size_t last = history->runs;
	bool is_timed = false;

	while (last-- > 0 && !course->recording[last])
		;
	history->count = 0;
	if (last < history->runs)
		is_timed = course->recording[last] == 1;
	for (size_t i = 0; i < history->runs; i++) {
		if (!course->recording[i])
			continue;
		if (kinds[kind].is_time && (course->recording[i] == 1) != is_timed) {
			history->otherwise += kind == CPU;
			continue;
		}
		history->numbers[history->count] = (double)course->values[kind][i];
		history->places[history->count++] = i;
	}
}

static double median_of(const struct history *history, size_t first, size_t end)
{
	memcpy(history->scratch, history->numbers + first,
	       (end - first) * sizeof(*history->scratch));
	return statistics_median(history->scratch, end - first);
}

static void add_change(struct history *history, int64_t subject, enum kind kind,
		       size_t place, double before, double after,
		       const struct statistics_shift *ratio, bool is_drift)
{
	rundb_insert_row(
		history->changes,
		(struct cell[]){cell_integer(subject), cell_text(kinds[kind].name),
				cell_integer((int64_t)history->places[place]),
				cell_real(before), cell_real(after),
				ratio ? cell_real(ratio->low) : (struct cell){0},
				ratio ? cell_real(ratio->high) : (struct cell){0},
				cell_integer(!ratio && !is_drift),
				cell_integer(is_drift)});
}

/* A count that mostly is what it was in the run before is exact: each change is one. */
static bool add_exact(struct history *history, int64_t subject, enum kind kind,
		      size_t *ret_last)
{
	size_t changes[2] = {0}, repeats = 0, count = history->count;
	bool is_repeated;

	for (size_t i = 1; i < history->count; i++) {
		bool is_same = history->builds[history->places[i]] ==
			       history->builds[history->places[i - 1]];

		repeats += is_same;
		changes[is_same] += history->numbers[i] != history->numbers[i - 1];
	}
	/* where most runs repeat a build, another build may do otherwise */
	is_repeated = repeats * 2 >= count;
	changes[1] += is_repeated ? 0 : changes[0];
	if (kinds[kind].is_time || (changes[1] > 1 && changes[1] * STEADY > count))
		return false;
	*ret_last = 0;
	for (size_t i = 1; i < history->count; i++) {
		if (history->numbers[i] == history->numbers[i - 1])
			continue;
		add_change(history, subject, kind, i, history->numbers[i - 1],
			   history->numbers[i], NULL, false);
		*ret_last = i;
	}
	return true;
}

/* Returns where the present level begins. */
static size_t add_noisy(struct history *history, int64_t subject, enum kind kind)
{
	size_t *found = history->found;
	size_t count = levels_find(history->numbers, history->count,
				   ALPHA / (double)(history->judged + 1), found);

	if (count > 1 && levels_drift(history->numbers, history->count, found, count)) {
		size_t third = history->count / 3 + 1;

		add_change(history, subject, kind, 0, median_of(history, 0, third),
			   median_of(history, history->count - third, history->count),
			   NULL, true);
		return found[count - 1];
	}
	for (size_t i = 0; i < count; i++) {
		size_t first = i ? found[i - 1] : 0;
		size_t end = i + 1 < count ? found[i + 1] : history->count;
		struct statistics_shift ratio = {.low = NAN, .high = NAN};

		statistics_ratio(history->numbers + first, found[i] - first,
				 history->numbers + found[i], end - found[i], CONFIDENCE,
				 &ratio);
		add_change(history, subject, kind, found[i],
			   median_of(history, first, found[i]),
			   median_of(history, found[i], end), &ratio, false);
	}
	return count ? found[count - 1] : 0;
}

/* Judges the new run by the level that the earlier ones have now. */
static void check(struct history *history, int64_t subject, enum kind kind, size_t begin,
		  bool is_exact)
{
	const struct course *course = &history->courses[subject];
	size_t next = history->runs, last = history->places[history->count - 1];
	double value = (double)course->values[kind][next], error = 0;

	if (!course->recording[next] || (kind == TOTAL && subject) ||
	    (kinds[kind].is_time &&
	     (course->recording[next] == 1) != (course->recording[last] == 1)))
		return;
	/* the hooks cost the same in both: only a share that differs is an error */
	if (kinds[kind].is_time && value > 0 && course->values[kind][last] > 0)
		error = fabs((double)course->values[ERROR][next] / value -
			     (double)course->values[ERROR][last] /
				     (double)course->values[kind][last]);
	gate_checks_add(history->gate,
			&(struct gate_check_of){subject, kinds[kind].name,
						kinds[kind].is_time, is_exact, value,
						error, history->numbers + begin,
						history->count - begin});
}

/* Code without hooks, whose calls nobody counts, is there when a sample meets it. */
static bool are_counted(const struct history *history)
{
	for (size_t i = 0; i < history->count; i++)
		if (history->numbers[i] > 0)
			return true;
	return false;
}

static void judge(struct history *history, int64_t subject, enum kind kind)
{
	const struct course *course = &history->courses[subject];
	double median, low, high, latest, first;
	size_t begin = 0, runs;
	bool is_exact;

	take_course(history, course, kind);
	if (!history->count)
		return;
	if (kind == CALLS && are_counted(history))
		rundb_insert_row(
			history->there,
			(struct cell[]){
				cell_integer(subject),
				cell_integer((int64_t)history->places[0]),
				cell_integer(
					(int64_t)history->places[history->count - 1])});
	is_exact = add_exact(history, subject, kind, &begin);
	if (!is_exact)
		begin = add_noisy(history, subject, kind);
	if (history->gate)
		check(history, subject, kind, begin, is_exact);
	latest = history->numbers[history->count - 1];
	first = history->numbers[0];
	runs = history->count - begin;
	memcpy(history->scratch, history->numbers + begin,
	       runs * sizeof(*history->scratch));
	levels_band(history->scratch, runs, &median, &low, &high);
	if (median == 0 && latest == 0 && first == 0)
		return;
	rundb_insert_row(history->levels,
			 (struct cell[]){cell_integer(subject),
					 cell_text(kinds[kind].name),
					 cell_integer((int64_t)runs), cell_real(median),
					 cell_real(low), cell_real(high),
					 cell_real(latest), cell_real(first)});
}

static double sum_of(const struct history *history, const struct course *course)
{
	double sum = 0;

	for (size_t i = 0; i <= history->runs; i++)
		sum += course->recording ? (double)course->values[CPU][i] : 0;
	return sum;
}

/* Too little time to be judged: there would be as many tests as functions. */
static bool is_small(const struct history *history, size_t subject)
{
	return subject && !history->only &&
	       sum_of(history, &history->courses[subject]) <
		       SMALL_SHARE * sum_of(history, &history->courses[0]);
}

static void judge_all(struct history *history)
{
	for (size_t i = 0; i < history->subjects; i++)
		history->judged += history->courses[i].recording && !is_small(history, i);
	for (size_t i = 0; i < history->subjects; i++) {
		bool small;

		if (!history->courses[i].recording || (history->only && !i))
			continue;
		small = is_small(history, i);
		history->small += small;
		for (enum kind k = 0; k < JUDGED; k++)
			if (!kinds[k].is_time || !small)
				judge(history, (int64_t)i, k);
	}
}

static void keep_tables(struct history *history)
{
	struct rundb *db = history->input->db;
	struct rundb_insert *insert;

	history->changes = rundb_fill(db, "level_changes", history_sql_level_changes);
	history->levels = rundb_fill(db, "present_levels", history_sql_present_levels);
	history->there = rundb_fill(db, "there", history_sql_there);
	judge_all(history);
	rundb_insert_end(history->levels);
	rundb_insert_end(history->changes);
	rundb_insert_end(history->there);
	insert = rundb_fill(db, "not_compared", history_sql_not_compared);
	rundb_insert_row(insert,
			 (struct cell[]){cell_integer((int64_t)history->small),
					 cell_integer((int64_t)history->otherwise)});
	rundb_insert_end(insert);
}

enum exit_status history_build(struct report_input *input, struct doc *doc)
{
	struct history history = {.input = input};

	keep_wanted_tags(&history);
	rundb_keep(input->db, "gated", history_sql_gated, 0);
	rundb_keep(input->db, "gated_functions", history_sql_gated_functions, 0);
	if (input->options->limits)
		history.gate = gate_checks_begin(input);
	choose_runs(&history);
	if (input->options->argument)
		find_subject(&history);
	history.courses = xcalloc(history.subjects, sizeof(*history.courses));
	history.numbers = xcalloc(history.runs + 1, sizeof(*history.numbers));
	history.scratch = xcalloc(history.runs + 1, sizeof(*history.scratch));
	history.places = xcalloc(history.runs + 1, sizeof(*history.places));
	history.builds = xcalloc(history.runs + 1, sizeof(*history.builds));
	history.found = xcalloc(history.runs + 1, sizeof(*history.found));
	load(&history, history_sql_totals);
	load(&history, history_sql_values);
	load_builds(&history);
	if (history.gate)
		load(&history, history_sql_gated_totals);
	if (history.gate)
		load(&history, history_sql_gated_values);
	keep_tables(&history);
	gate_checks_end(history.gate, input->db);
	return engine_build(&report_history, input, doc);
}
