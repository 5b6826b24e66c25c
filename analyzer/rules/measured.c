/* SPDX-License-Identifier: MIT */
/*
 * Which measurements are valid for a run. Must not judge a run: it says what can be
 * judged.
 */
#include "analyzer/rules/measured.h"

#include "common/base/strbuf.h"
#include "analyzer/model/shorten.h"
#include "analyzer/model/units.h"
#include "analyzer/rundb/rundb.h"
#include "analyzer/rules/run.h"

#include "measured.sql.h"

/* What is not known could be at least such a share of the run, or it is not told. */
#define UNJUDGED_LEAST 0.05
#define UNJUDGED_NAMES 3
#define NAME_COLUMNS 48

static const char *const words[MEASURED_COUNT] = {
	"calls",    "allocations",	 "steps",	    "wall time",
	"CPU time", "an end of its own", "data of its own", "self time",
	"samples",  "calls of libc",
};

static void miss(struct rule_input *input, unsigned bit, const char *reason)
{
	input->missing[__builtin_ctz(bit)] = reason;
}

static const char *missing_samples(const struct rule_input *input)
{
	const struct time_run *run = input->time_run;

	if (run->has_samples)
		return NULL;
	if (run->span_ns < TIME_RUN_SPAN_LEAST_NS && input->sample_count)
		return "too short for samples of /proc";
	if (!input->sample_count)
		return "no samples of /proc were taken";
	return "the samples of /proc tell of less than half of the run";
}

static void look(struct rule_input *input, bool has_steps, bool has_libc,
		 double unseen_ends)
{
	if (!input->calls)
		miss(input, MEASURED_CALLS, "no calls were counted");
	if (!(input->alloc_count > 0))
		miss(input, MEASURED_ALLOCATIONS, "no allocation was recorded");
	if (!has_steps)
		miss(input, MEASURED_STEPS,
		     "the run has no steps (profshim_step() marks them)");
	if (!(input->wall_ns > 0) || unseen_ends > 0)
		miss(input, MEASURED_WALL, "how long the run took is not known");
	if (!input->time_run->has_split)
		miss(input, MEASURED_CPU,
		     "what was computed and what was a wait was not told apart in every "
		     "process: see 'prof-analyze doctor'");
	if (!has_libc)
		miss(input, MEASURED_LIBC, "no call of libc was recorded");
	miss(input, MEASURED_SAMPLES, missing_samples(input));
	if (!units_is_known(input->self_ns, input->total_error_ns))
		miss(input, MEASURED_TIME,
		     "the program's self time is not known: what the hooks took is not "
		     "known so well");
	if (input->is_live)
		miss(input, MEASURED_END, "the run has not ended");
	else if (!input->complete)
		miss(input, MEASURED_END,
		     "a process did not end by itself, so what it left says nothing");
}

static void put_name(struct strbuf *names, const char *name, bool is_next)
{
	strbuf_puts(names, is_next ? ", " : "");
	shorten_name(names, name, NAME_COLUMNS, &shorten_ascii);
}

/* "how long A, B and 3 others took is not known". */
static int find_unjudged(struct rule_input *input)
{
	struct cursor *cursor = rule_query(input, measured_sql_unjudged);
	struct strbuf names = {0}, text = {0};
	int64_t count = 0;

	cursor_bind_real(cursor, ":least_ns", UNJUDGED_LEAST * input->time_run->run_ns);
	while (cursor_next(cursor) > 0) {
		const char *name = cursor_text(cursor, "name");

		if (count++ < UNJUDGED_NAMES)
			put_name(&names, name ? name : "?", count > 1);
	}
	if (count > UNJUDGED_NAMES) {
		strbuf_puts(&names, " and ");
		units_counted(&names, count - UNJUDGED_NAMES, "other");
	}
	if (count) {
		strbuf_printf(&text, "how long %s took is not known",
			      strbuf_text(&names));
		input->unjudged = rule_copy(input, strbuf_text(&text));
	}
	strbuf_free(&names);
	strbuf_free(&text);
	return rule_finish(input, cursor, 0);
}

int measured_find(struct rule_input *input)
{
	struct cursor *cursor = rule_query(input, measured_sql_exists);
	int result;

	if (cursor_next(cursor) > 0)
		look(input, cursor_integer(cursor, "has_steps") != 0,
		     cursor_integer(cursor, "has_libc") != 0,
		     cursor_real(cursor, "unseen_ends"));
	result = rule_finish(input, cursor, 0);
	return result ? result : find_unjudged(input);
}

const char *measured_missing(const struct rule_input *input, unsigned needs)
{
	for (unsigned i = 0; i < MEASURED_COUNT; i++)
		if ((needs & 1u << i) && input->missing[i])
			return input->missing[i];
	return NULL;
}

void measured_put_words(struct strbuf *text, unsigned needs)
{
	for (unsigned i = 0; i < MEASURED_COUNT; i++)
		if (needs & 1u << i)
			strbuf_printf(text, "%s%s", needs & ((1u << i) - 1) ? ", " : "",
				      words[i]);
}
