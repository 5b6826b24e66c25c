/* SPDX-License-Identifier: MIT */
/*
 * What makes two sides hard or impossible to compare, said before any number. Must not
 * pass over a difference in what was instrumented: it looks like functions that came or
 * went.
 *
 * Not comparable at all: a run that did not end by itself, numbers that are missing.
 * Times not comparable: another processor or clock. Everything else is said and left to
 * the reader: containers of a CI have a new host name each time, and times of another
 * level carry another error.
 */
#include "analyzer/reports/compare/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define HOOK_COST_FACTOR 1.2

static void note(struct compare_state *state, const char *name, const char *text,
		 const char *advice)
{
	doc_note(state->doc, name, NOTE_WARNING, text, advice);
}

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* A text of a run, by its place in struct compare_run. */
#define TEXT(field) offsetof(struct compare_run, field)

static const char *text_of(const struct compare_run *run, size_t place)
{
	return *(const char *const *)(const void *)((const char *)run + place);
}

enum weight { SAID, PARTS, TIMES, ALL };

#define NO_TIMES "; times cannot be compared."
#define BOTH_ERRORS                                                                      \
	"; the run's times are judged with the errors of both, "                         \
	"those of single functions not at all."

static const struct {
	const char *name, *what;
	size_t place;
	enum weight weight;
	const char *ending;
} texts[] = {
	{"command_differs", "The commands", TEXT(command), SAID, "."},
	{"level_differs", "The levels of recording", TEXT(level), PARTS, BOTH_ERRORS},
	{"cpu_differs", "The processors", TEXT(cpu_model), TIMES, NO_TIMES},
	{"host_differs", "The machines", TEXT(host), SAID, "."},
	{"kernel_differs", "The kernels", TEXT(kernel), SAID, "."},
	{"clock_differs", "The clocks", TEXT(clock), TIMES, NO_TIMES},
	{"version_differs", "The versions of profshim", TEXT(shim_version), SAID, "."},
};

static void weigh(struct compare_state *state, enum weight weight, const char *name)
{
	if (weight == ALL && !state->not_comparable.all)
		state->not_comparable.all = name;
	if (weight == PARTS)
		state->not_comparable.parts = name;
	if (weight == TIMES && !state->not_comparable.times)
		state->not_comparable.times = name;
}

/* The first run whose text is not that of the first of all; 0: none. */
static size_t odd_one(const struct compare_state *state, size_t place)
{
	for (size_t i = 1; i < state->run_count; i++)
		if (!same(text_of(&state->runs[0], place),
			  text_of(&state->runs[i], place)))
			return i;
	return 0;
}

static const char *or_unknown(const char *text)
{
	return text ? text : "not known";
}

static void check_texts(struct compare_state *state)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t odd = odd_one(state, texts[i].place);
		struct strbuf sentence = {0};

		if (!odd)
			continue;
		strbuf_printf(&sentence, "%s differ: '%s' and '%s'%s", texts[i].what,
			      or_unknown(text_of(&state->runs[0], texts[i].place)),
			      or_unknown(text_of(&state->runs[odd], texts[i].place)),
			      texts[i].ending);
		note(state, texts[i].name, strbuf_text(&sentence), NULL);
		weigh(state, texts[i].weight, texts[i].name);
		strbuf_free(&sentence);
	}
}

static void check_cpu_count(struct compare_state *state)
{
	for (size_t i = 1; i < state->run_count; i++)
		if (state->runs[i].cpu_count != state->runs[0].cpu_count) {
			struct strbuf sentence = {0};

			strbuf_printf(&sentence,
				      "The numbers of processors differ: %lld and %lld; "
				      "times cannot be compared.",
				      (long long)state->runs[0].cpu_count,
				      (long long)state->runs[i].cpu_count);
			note(state, "cpu_count_differs", strbuf_text(&sentence), NULL);
			weigh(state, TIMES, "cpu_count_differs");
			strbuf_free(&sentence);
			return;
		}
}

static double mean_hook_cost(const struct compare_state *state, size_t from, size_t to,
			     double *ret_error)
{
	double sum = 0, errors = 0;

	for (size_t i = from; i < to; i++) {
		sum += state->runs[i].hook_cost_ns;
		errors += state->runs[i].hook_cost_error_ns;
	}
	*ret_error = errors / (double)(to - from);
	return sum / (double)(to - from);
}

static void check_hook_cost(struct compare_state *state)
{
	double errors[2];
	double before = mean_hook_cost(state, 0, state->before_count, &errors[0]);
	double after =
		mean_hook_cost(state, state->before_count, state->run_count, &errors[1]);
	struct strbuf sentence = {0};

	if (before * HOOK_COST_FACTOR >= after && after * HOOK_COST_FACTOR >= before)
		return;
	if (!units_is_known(after - before, hypot(errors[0], errors[1])))
		return;
	strbuf_printf(
		&sentence,
		"A hook pair cost %.1fns before and %.1fns after: the machine ran at "
		"another speed, and times of short functions are uncertain.",
		before, after);
	note(state, "hook_cost_differs", strbuf_text(&sentence),
	     "Record both sides again, interleaved (prof-record --repeat).");
	strbuf_free(&sentence);
}

static void check_ends(struct compare_state *state)
{
	for (size_t i = 0; i < state->run_count; i++) {
		const struct compare_run *run = &state->runs[i];
		struct strbuf sentence = {0};

		if (!run->complete) {
			strbuf_printf(&sentence,
				      "Run %lld (%s) did not end by itself: its numbers "
				      "stop somewhere, and the sides cannot be compared.",
				      (long long)run->run_id,
				      i < state->before_count ? "before" : "after");
			note(state, "incomplete", strbuf_text(&sentence), NULL);
			weigh(state, ALL, "incomplete");
		}
		strbuf_reset(&sentence);
		if (run->losses) {
			strbuf_printf(
				&sentence,
				"Run %lld (%s) lacks numbers (%s): the sides cannot "
				"be compared.",
				(long long)run->run_id,
				i < state->before_count ? "before" : "after",
				run->losses);
			note(state, "losses", strbuf_text(&sentence),
			     "'prof-analyze doctor' tells what can be done.");
			weigh(state, ALL, "losses");
		}
		strbuf_free(&sentence);
	}
}

/* Every rank that the launcher began has to be there: the sums of a job are of all. */
static void check_jobs(struct compare_state *state)
{
	int64_t *counts = xcalloc(state->column_count, sizeof(*counts));
	struct strbuf sentence = {0};

	for (size_t i = 0; i < state->run_count; i++)
		counts[state->runs[i].column]++;
	for (size_t i = 0; i < state->run_count && !sentence.size; i++) {
		const struct compare_run *run = &state->runs[i];
		int64_t count = counts[run->column], wanted = run->rank_count;

		if (!run->job || wanted <= count)
			continue;
		strbuf_printf(&sentence,
			      "The job of run %lld (%s) had %lld ranks, of which %lld %s "
			      "here: the sides cannot be compared.",
			      (long long)run->run_id,
			      i < state->before_count ? "before" : "after",
			      (long long)wanted, (long long)count,
			      count == 1 ? "is" : "are");
		note(state, "ranks_missing", strbuf_text(&sentence),
		     "Record every rank into the same file, or name all files.");
		weigh(state, ALL, "ranks_missing");
	}
	if (counts[0] != counts[state->before_columns]) {
		strbuf_reset(&sentence);
		strbuf_printf(&sentence,
			      "The numbers of ranks differ: %lld before and %lld after.",
			      (long long)counts[0],
			      (long long)counts[state->before_columns]);
		note(state, "rank_count_differs", strbuf_text(&sentence), NULL);
	}
	strbuf_free(&sentence);
	free(counts);
}

/* Functions both sides know, of which one side only counted the calls. */
static void check_instrumented(struct compare_state *state)
{
	const struct comparison *comparison = &state->comparison;
	const char *example = NULL;
	struct strbuf sentence = {0};
	int64_t count = 0;

	for (size_t i = 0; i < comparison->function_values.count; i++) {
		const struct compare_function *function = &comparison->functions[i];

		if (function->presence != COMPARE_BOTH || !function->hooked ||
		    function->hooked == COMPARE_BOTH)
			continue;
		example = count++ ? example : function->name;
	}
	if (!count)
		return;
	units_counted(&sentence, count, "function");
	strbuf_printf(
		&sentence,
		" (such as '%s') had hooks on one side only: calls and times seem to "
		"come or go there.",
		example);
	note(state, "instrumented_differs", strbuf_text(&sentence),
	     "Compile both sides with the same flags.");
	strbuf_free(&sentence);
}

static bool is_same_run(const struct compare_state *state)
{
	return state->run_count == 2 &&
	       strcmp(rundb_path(state->runs[0].db), rundb_path(state->runs[1].db)) ==
		       0 &&
	       state->runs[0].run_id == state->runs[1].run_id;
}

/* What is wrong with the times of one run is wrong with those of all. */
static void find_common(struct compare_state *state)
{
	static const size_t alike[] = {TEXT(level),  TEXT(cpu_model), TEXT(host),
				       TEXT(kernel), TEXT(clock),     TEXT(shim_version)};
	double *costs = xreallocarray(NULL, state->run_count, sizeof(*costs));

	state->has_common_errors = true;
	for (size_t i = 0; i < sizeof(alike) / sizeof(*alike); i++)
		state->has_common_errors &= odd_one(state, alike[i]) == 0;
	for (size_t i = 0; i < state->run_count; i++)
		costs[i] = state->runs[i].hook_cost_ns;
	state->drift = change_drift(costs, state->before_count,
				    state->run_count - state->before_count);
	free(costs);
}

static bool has_calls(const struct compare_state *state, size_t run)
{
	return compare_totals(state, RUN_CALLS)[state->runs[run].column] > 0;
}

/* A run without the split says nothing about CPU time, so the comparison does not. */
static void check_split(struct compare_state *state)
{
	const struct compare_run *without = NULL;
	struct strbuf sentence = {0};
	size_t count = 0;

	for (size_t i = 0; i < state->run_count; i++)
		if (!state->runs[i].is_split && has_calls(state, i)) {
			without = without ? without : &state->runs[i];
			count++;
		}
	if (!count || (count == state->run_count && !without->is_unasked))
		return;
	strbuf_printf(&sentence,
		      "In run %lld (%s)%s computing was not told from waits%s: ",
		      (long long)without->run_id,
		      without < state->runs + state->before_count ? "before" : "after",
		      count > 1 ? " and others" : "",
		      without->is_unasked ? " (PROFSHIM_WAITS=off)" : "");
	strbuf_puts(
		&sentence,
		"CPU time cannot be judged, nor whether a change is in computing or in "
		"waits. Times of functions hold what they waited.");
	note(state, "waits_differ", strbuf_text(&sentence),
	     "Record both sides with their waits.");
	strbuf_free(&sentence);
}

bool compare_is_judged(const struct compare_state *state, uint32_t function)
{
	return !state->not_comparable.parts &&
	       compare_is_alike(&state->comparison.functions[function]);
}

void compare_check(struct compare_state *state)
{
	size_t start = state->doc->section_count;

	find_common(state);
	if (is_same_run(state))
		note(state, "same_run", "Both sides are the same run.", NULL);
	check_ends(state);
	check_jobs(state);
	check_texts(state);
	check_cpu_count(state);
	check_hook_cost(state);
	check_split(state);
	check_instrumented(state);
	if (state->doc->section_count == start)
		doc_note(state->doc, "comparable", NOTE_GOOD,
			 "comparable: same command, machine and level; complete, nothing "
			 "lost",
			 NULL);
	else if (!state->not_comparable.all && !state->not_comparable.times)
		doc_note(state->doc, "comparable", NOTE_PLAIN,
			 "Counts and times can be compared all the same.", NULL);
}
