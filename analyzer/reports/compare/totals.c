/* SPDX-License-Identifier: MIT */
/*
 * The sides, what their runs took in all, and where the differences are. Must not call a
 * single pair of times better or worse.
 */
#include "analyzer/reports/compare/parts.h"

#include "analyzer/model/units.h"

#include <math.h>
#include <string.h>

/* What the hooks took is shown from this part of the wall time on. */
#define HOOKS_LEAST 0.005
/* Nobody records more. */
#define MOST_RUNS 200

static const struct {
	const char *name, *title;
	enum column_type type;
	bool is_countable;
} metrics[RUN_METRIC_COUNT] = {
	[RUN_WALL] = {"wall_ns", "wall less hooks", COLUMN_NSEC, false},
	[RUN_HOOKS] = {"hooks_ns", "hooks in it", COLUMN_NSEC, false},
	[RUN_RAW_WALL] = {"raw_wall_ns", "raw wall", COLUMN_NSEC, false},
	[RUN_CPU] = {"cpu_ns", "CPU less hooks", COLUMN_NSEC, false},
	[RUN_SELF] = {"self_ns", "self time", COLUMN_NSEC, false},
	[RUN_CALLS] = {"calls", "calls", COLUMN_COUNT, true},
	[RUN_ALLOC_COUNT] = {"alloc_count", "allocations", COLUMN_COUNT, true},
	[RUN_ALLOC_BYTES] = {"alloc_bytes", "bytes allocated", COLUMN_BYTES, true},
	[RUN_PEAK] = {"peak_bytes", "peak", COLUMN_BYTES, true},
	[RUN_LIVE] = {"live_bytes_at_exit", "live at exit", COLUMN_BYTES, true},
};

static void put_amount(struct strbuf *buffer, double amount, enum column_type type)
{
	int64_t whole = whole_number(amount);

	if (type == COLUMN_NSEC)
		units_nsec(buffer, whole);
	else if (type == COLUMN_BYTES)
		units_bytes(buffer, whole);
	else if (amount == (double)whole)
		units_count(buffer, whole);
	else
		strbuf_printf(buffer, "%.1f", amount);
}

/* Like compare_difference(), without sign. */
static struct cell amount_cell(struct table *table, double amount, double error,
			       enum column_type type)
{
	struct strbuf text = {0};
	struct cell cell;

	if (type == COLUMN_NSEC)
		units_nsec_error(&text, whole_number(amount), whole_number(error),
				 UNITS_ERROR_SIGN);
	else
		put_amount(&text, amount, type);
	cell = table_text(table, strbuf_text(&text));
	strbuf_free(&text);
	return cell;
}

struct cell compare_difference(struct table *table, double difference, double error,
			       enum column_type type)
{
	struct strbuf text = {0};
	struct cell cell;

	if (!units_is_known(difference, error)) {
		strbuf_puts(&text, "+-");
		put_amount(&text, fabs(difference) + error, type);
	} else {
		if (difference > 0)
			strbuf_putc(&text, '+');
		put_amount(&text, difference, type);
	}
	cell = table_text(table, strbuf_text(&text));
	strbuf_free(&text);
	return cell;
}

double compare_known_difference(const struct change *change)
{
	double difference = change->after - change->before;

	return units_is_known(difference, change_error(change)) ? difference : 0;
}

/* "3 jobs of 8 ranks, " of recordings that are no repetitions by themselves. */
static void put_jobs(struct strbuf *text, size_t jobs, size_t recordings)
{
	units_counted(text, (int64_t)jobs, "job");
	if (recordings % jobs == 0) {
		strbuf_puts(text, " of ");
		units_counted(text, (int64_t)(recordings / jobs), "rank");
	}
	strbuf_puts(text, ", ");
}

/* "runs 3, 5, 7 'old' of a.db: ./app", or in short when there are many. */
static void describe_side(struct compare_state *state, struct strbuf *text, size_t from,
			  size_t to)
{
	const struct compare_run *first = &state->runs[from];
	size_t columns = from ? compare_after_count(state) : state->before_columns;

	if (columns != to - from || first->rank_count > 1)
		put_jobs(text, columns, to - from);
	strbuf_puts(text, to - from > 1 ? "runs " : "run ");
	for (size_t i = from; i < to; i++) {
		if (i == from + 4 && to - from > 6) {
			strbuf_printf(text, ", ... %lld (%zu in all)",
				      (long long)state->runs[to - 1].run_id, to - from);
			break;
		}
		strbuf_printf(text, "%s%lld", i > from ? ", " : "",
			      (long long)state->runs[i].run_id);
	}
	if (first->label)
		strbuf_printf(text, " '%s'", first->label);
	strbuf_printf(text, " of %s", rundb_path(first->db));
	if (state->runs[to - 1].db != first->db)
		strbuf_puts(text, " and others");
	if (first->command)
		strbuf_printf(text, ": %s", first->command);
}

void compare_add_sides(struct compare_state *state)
{
	struct section *section = doc_values(state->doc, "sides", NULL);
	size_t starts[] = {0, state->before_count, state->run_count};
	size_t columns[] = {state->before_columns, compare_after_count(state)};
	static const char *const names[] = {"before", "after"};
	static const char *const counts[] = {"before_run_count", "after_run_count"};
	static const char *const recordings[] = {"before_recording_count",
						 "after_recording_count"};

	for (size_t i = 0; i < 2; i++) {
		struct strbuf text = {0};

		describe_side(state, &text, starts[i], starts[i + 1]);
		doc_add_text(state->doc, section, names[i], names[i], strbuf_text(&text));
		doc_add_machine(section, counts[i], COLUMN_COUNT,
				cell_integer((int64_t)columns[i]));
		doc_add_machine(section, recordings[i], COLUMN_COUNT,
				cell_integer((int64_t)(starts[i + 1] - starts[i])));
		strbuf_free(&text);
	}
	if (state->choice.size)
		doc_note(state->doc, "choice", NOTE_PLAIN, strbuf_text(&state->choice),
			 "--before and --after choose other runs, by number or label: "
			 "--before 1,2,3 --after 4,5,6.");
}

static const struct column total_columns[] = {
	{"name", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"title", "of the run", COLUMN_TEXT, COLUMN_HUMAN | COLUMN_KEEP},
	{"before", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"after", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"difference", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"before_error", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"after_error", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"difference_error", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"before_text", "before", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"after_text", "after", COLUMN_FIGURE, COLUMN_HUMAN},
	{"difference_text", "change", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"change_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},
	{"low_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},
	{"high_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},
	{"effect", "", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"p", "p", COLUMN_ANY, COLUMN_MACHINE},
	{"exact", NULL, COLUMN_FLAG, COLUMN_MACHINE},
	{"verdict", "verdict", COLUMN_TEXT, COLUMN_KEEP},
	{"runs_needed", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"verdict_why", NULL, COLUMN_TEXT, COLUMN_HUMAN | COLUMN_DETAIL},
};

static struct cell real_or_null(double value)
{
	return isfinite(value) ? cell_real(value) : (struct cell){.kind = CELL_NULL};
}

static double in_percent(double ratio)
{
	return 100 * (ratio - 1);
}

/* "+4.1%", or "x39" where a percentage is no longer read. */
static void put_ratio(struct strbuf *text, double ratio)
{
	if (ratio >= 10)
		strbuf_printf(text, "x%.0f", ratio);
	else
		strbuf_printf(text, "%+.1f%%", in_percent(ratio));
}

/* "+4.1%" of a plain difference, "+4.1% [+3.8, +4.4]" of a tested one. */
static void put_effect(struct strbuf *text, const struct change *change)
{
	if (!compare_is_known(change))
		return;
	if (change->is_tested) {
		put_ratio(text, change->ratio.estimate);
		strbuf_printf(text, " [%+.1f, %+.1f]", in_percent(change->ratio.low),
			      in_percent(change->ratio.high));
	} else if (change->before > 0 && change->before != change->after) {
		put_ratio(text, change->after / change->before);
	}
}

/* More calls are neither better nor worse. */
static const char *verdict(enum run_metric metric, const struct change *change)
{
	if (metric == RUN_CALLS && change->outcome == OUTCOME_REGRESSED)
		return "more";
	if (metric == RUN_CALLS && change->outcome == OUTCOME_IMPROVED)
		return "fewer";
	return outcome_word(change->outcome);
}

static void put_why(struct strbuf *text, const struct compare_state *state,
		    const struct change *change)
{
	size_t after = compare_after_count(state);
	size_t runs = state->before_columns < after ? state->before_columns : after;

	if (change->is_blurred)
		strbuf_puts(text, "within the error of what the hooks took: more runs "
				  "do not help");
	else if (!compare_is_known(change))
		strbuf_puts(text, "not known on a side: the hooks took nearly all of it");
	else if (change->outcome == OUTCOME_INCONCLUSIVE &&
		 change->runs_needed > runs + MOST_RUNS)
		strbuf_puts(text, "too noisy: no number of runs that can be made would "
				  "tell");
	else if (change->outcome == OUTCOME_INCONCLUSIVE && change->runs_needed > runs)
		strbuf_printf(text, "~%zu more runs a side", change->runs_needed - runs);
	else if (change->is_demoted)
		strbuf_puts(text, "repeated runs differ");
}

static void add_total(struct compare_state *state, struct table *table,
		      enum run_metric metric)
{
	const struct change *change = &state->run_changes[metric];
	enum column_type type = metrics[metric].type;
	struct strbuf effect = {0}, why = {0};
	struct cell *row = table_add_row(table);
	double difference = change->after - change->before;
	bool pair = compare_is_pair(state);

	row[0] = table_text(table, metrics[metric].name);
	row[1] = table_text(table, metrics[metric].title);
	put_effect(&effect, change);
	put_why(&why, state, change);
	row[2] = pair ? cell_integer(whole_number(change->before))
		      : cell_real(change->before);
	row[3] = pair ? cell_integer(whole_number(change->after))
		      : cell_real(change->after);
	row[4] = pair ? cell_integer(whole_number(difference)) : cell_real(difference);
	row[5] = cell_real(change->before_error);
	row[6] = cell_real(change->after_error);
	row[7] = cell_real(change_error(change));
	row[8] = amount_cell(table, change->before, change->before_error, type);
	row[9] = amount_cell(table, change->after, change->after_error, type);
	row[10] = compare_difference(table, difference, change_error(change), type);
	row[11] = change->is_tested ? real_or_null(in_percent(change->ratio.estimate))
		  : change->before > 0
			  ? real_or_null(in_percent(change->after / change->before))
			  : (struct cell){.kind = CELL_NULL};
	if (change->is_tested) {
		row[12] = real_or_null(in_percent(change->ratio.low));
		row[13] = real_or_null(in_percent(change->ratio.high));
		row[15] = real_or_null(change->p);
	}
	row[14] = table_text(table, strbuf_text(&effect));
	row[16] = cell_integer(change->is_exact);
	row[17] = table_text(table, verdict(metric, change));
	if (change->outcome == OUTCOME_INCONCLUSIVE && change->runs_needed)
		row[18] = cell_integer(change->runs_needed);
	row[19] = table_text(table, why.size ? strbuf_text(&why) : NULL);
	strbuf_free(&effect);
	strbuf_free(&why);
}

static bool is_of_recorder(enum run_metric metric)
{
	return metric == RUN_HOOKS || metric == RUN_RAW_WALL;
}

static struct change judge_total(const struct compare_state *state,
				 enum run_metric metric)
{
	const int64_t *values = compare_totals(state, metric);
	struct change_errors errors = {
		.errors = compare_errors(state, metric),
		.hooks = compare_hooks(state, metric),
		.is_common = state->has_common_errors,
		.drift = state->drift,
	};
	size_t before = state->before_columns, after = compare_after_count(state);
	struct change change;

	if (is_of_recorder(metric))
		return change_means(values, &errors, before, after);
	if (metrics[metric].type == COLUMN_NSEC)
		return change_of_estimates(values, &errors, before, after);
	change = change_of(values, before, after, metrics[metric].is_countable);
	if (metrics[metric].type == COLUMN_BYTES)
		change_forgive_bytes(&change);
	return change;
}

/* Worth two lines: a part of the wall time that is seen in its digits. */
static bool has_hooks(const struct compare_state *state)
{
	const struct change *hooks = &state->run_changes[RUN_HOOKS];
	const struct change *wall = &state->run_changes[RUN_WALL];

	return hooks->before >= HOOKS_LEAST * wall->before ||
	       hooks->after >= HOOKS_LEAST * wall->after;
}

static bool has_moved(const struct compare_state *state, enum run_metric metric)
{
	enum outcome outcome = state->run_changes[metric].outcome;

	return outcome == OUTCOME_REGRESSED || outcome == OUTCOME_IMPROVED;
}

/* Which of the two a change moved: a noisy machine moves the wall time alone. */
static void add_moved(struct compare_state *state)
{
	bool wall = has_moved(state, RUN_WALL), cpu = has_moved(state, RUN_CPU);
	bool is_same = state->run_changes[RUN_WALL].outcome ==
		       state->run_changes[RUN_CPU].outcome;
	const char *text;

	if (!compare_has_cpu(state) || (!wall && !cpu))
		return;
	text = wall && cpu && is_same ? "CPU time moved as wall time did: it is in what "
					"the program computes."
	       : wall && cpu	      ? "CPU time moved the other way than wall time: "
					"waits make up for it."
	       : wall ? "Wall time moved, and CPU time did not as far as can "
			"be told: it is in waits, for a CPU or for something "
			"else."
		      : "CPU time moved, and wall time did not as far as can "
			"be told: the program computes more or less than "
			"before, beside waits or on threads that nobody "
			"waits for.";
	doc_note(state->doc, "moved", NOTE_PLAIN, text, NULL);
}

void compare_add_totals(struct compare_state *state)
{
	struct table *table = table_new(total_columns,
					sizeof(total_columns) / sizeof(total_columns[0]));

	for (size_t i = 0; i < RUN_METRIC_COUNT; i++) {
		enum run_metric metric = (enum run_metric)i;

		state->run_changes[i] = judge_total(state, metric);
		if (metric == RUN_CPU && !compare_has_cpu(state))
			continue;
		if (state->input->options->machine || !is_of_recorder(metric) ||
		    has_hooks(state))
			add_total(state, table, metric);
	}
	doc_table(state->doc, "totals", "Totals", table);
	add_moved(state);
	if (compare_is_pair(state))
		doc_note(state->doc, "one_pair", NOTE_PLAIN,
			 "One run a side: counts and bytes are compared exactly, times "
			 "are "
			 "shown but not judged, for they vary from run to run.",
			 "prof-record --repeat 10 records enough runs to judge times.");
}

/* Which part of a difference is in functions of both sides, new and gone ones. */
static const struct column balance_columns[] = {
	{"name", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"title", "in functions", COLUMN_TEXT, COLUMN_HUMAN | COLUMN_KEEP},
	{"matched", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"new", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"gone", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"difference", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"difference_text", "change =", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"matched_text", "matched +", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"new_text", "new +", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"gone_text", "gone", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
};

static void add_balance(struct compare_state *state, struct table *table,
			enum run_metric metric, size_t column)
{
	const struct comparison *comparison = &state->comparison;
	double parts[3] = {0}, errors[3] = {0}, sum = 0, error = 0;
	double most = change_error(&state->run_changes[metric]);
	struct cell *row;

	for (uint32_t i = 0; i < comparison->function_values.count; i++) {
		const struct compare_function *function = &comparison->functions[i];
		size_t part = function->presence == COMPARE_BOTH    ? 0
			      : function->presence == COMPARE_AFTER ? 1
								    : 2;
		struct change change;

		if (!function->presence)
			continue;
		change = compare_means(state, &comparison->function_values, i, column);
		parts[part] += change.after - change.before;
		errors[part] = fmin(errors[part] + change_error(&change), most);
	}
	/* The totals above have said so. */
	if (!state->input->options->machine && !parts[0] && !parts[1] && !parts[2])
		return;
	row = table_add_row(table);
	row[0] = table_text(table, metrics[metric].name);
	row[1] = table_text(table, metric == RUN_SELF ? "time" : metrics[metric].title);
	for (size_t i = 0; i < 3; i++) {
		sum += parts[i];
		error = fmin(error + errors[i], most);
		row[2 + i] = cell_real(parts[i]);
		row[7 + i] = compare_difference(table, parts[i], errors[i],
						metrics[metric].type);
	}
	row[5] = cell_real(sum);
	row[6] = compare_difference(table, sum, error, metrics[metric].type);
}

void compare_add_balance(struct compare_state *state)
{
	struct table *table = table_new(
		balance_columns, sizeof(balance_columns) / sizeof(balance_columns[0]));
	struct section *section;

	add_balance(state, table, RUN_SELF, COMPARE_self_ns);
	add_balance(state, table, RUN_CALLS, COMPARE_calls);
	add_balance(state, table, RUN_ALLOC_COUNT, COMPARE_alloc_count);
	add_balance(state, table, RUN_ALLOC_BYTES, COMPARE_alloc_bytes);
	section = doc_table(state->doc, "balance", NULL, table);
	if (table->row_count == 0)
		section->flags = SECTION_MACHINE;
}
