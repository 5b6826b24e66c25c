/* SPDX-License-Identifier: MIT */
/*
 * Q1: how far findings can be trusted at all, by what is known about the recording. Must
 * not add findings: it lowers the confidence of others.
 *
 * A step of the clock is not looked for: the recorder's clocks do not step when the time
 * of day is set, and a recording would not show it.
 */
#include "analyzer/rules/rule.h"

#include "common/base/strbuf.h"
#include "common/recipe.h"
#include "common/trust.h"
#include "analyzer/findings/quality.h"
#include "analyzer/model/units.h"
#include "analyzer/rundb/rundb.h"
#include "analyzer/rules/run.h"

#include "quality.sql.h"

#include <string.h>

unsigned rule_rests_on(const struct finding *finding)
{
	const char *id = finding->rule->id;
	/* Of the faults of a process /proc tells, not the hooks. */
	bool is_counted_by_kernel = strcmp(id, "M11") == 0;
	unsigned bits = 0;

	if (finding->kind != 'M' || finding->saving_ns > 0)
		bits |= TRUST_TIME;
	if (finding->kind == 'M' && !is_counted_by_kernel)
		bits |= TRUST_MEMORY;
	if (strcmp(id, "M5") == 0)
		bits |= TRUST_GROWTH;
	if (finding->function && strncmp(finding->function, "0x", 2) == 0)
		bits |= TRUST_NAMES;
	return bits;
}

static const char *percent(struct rule_input *input, double share, double error,
			   const char *text)
{
	struct strbuf words = {0};
	const char *copy;

	units_percent(&words, 100 * share);
	if (error >= 0.0005)
		strbuf_printf(&words, " +-%.2g%%", 100 * error);
	strbuf_printf(&words, " %s", text);
	copy = rule_copy(input, strbuf_text(&words));
	strbuf_free(&words);
	return copy;
}

/* A share with a limit from which confidence is medium, and one from which it is low
 * (NULL: none). */
static void add_share(struct rule_input *input, struct quality_fact *fact,
		      const char *medium, const char *low)
{
	double least = rule_limit(input, medium);

	if (!(fact->value >= least) || !(fact->value > 0))
		return;
	fact->unit = "ratio";
	fact->has_limit = true;
	fact->limit = least;
	fact->most = CONFIDENCE_MEDIUM;
	if (low && fact->value >= rule_limit(input, low)) {
		fact->limit = rule_limit(input, low);
		fact->most = CONFIDENCE_LOW;
	}
	quality_add(input->quality, fact);
}

/*
 * GCC looks for the words in the names of functions, in C++ with namespace and class but
 * written differently than here where there are templates, conversions or namespaces
 * without a name. A comma would end a word. True: one was put.
 */
static bool put_word(struct strbuf *words, const char *name)
{
	size_t size = name ? strcspn(name, "(") : 0;
	struct strbuf word = {0};
	bool is_fit;

	strbuf_printf(&word, "%.*s", (int)size, name ? name : "");
	/* a part of it would be others' name, or that of the function around */
	is_fit = size && !strchr(name, '{') && !strstr(name, "(anonymous") &&
		 !strpbrk(strbuf_text(&word), ",'\" <") &&
		 !strstr(strbuf_text(&word), "operator");
	if (is_fit)
		strbuf_printf(words, "%s%s", words->size ? ", " : "", strbuf_text(&word));
	strbuf_free(&word);
	return is_fit;
}

/* Returns through ret_count how many there are, at most five. */
static int put_tiny(struct rule_input *input, struct strbuf *words, double *ret_calls,
		    size_t *ret_count)
{
	struct cursor *cursor = rule_query(input, quality_sql_tiny);
	size_t count = 0;

	cursor_bind_real(cursor, ":cost", input->hook_cost_ns);
	cursor_bind_real(cursor, ":counted", input->counted_cost_ns);
	cursor_bind_real(cursor, ":hooks", input->hooks_ns);
	while (cursor_next(cursor) > 0) {
		++*ret_count;
		if (count == 3 || !put_word(words, cursor_text(cursor, "name")))
			continue;
		count++;
		*ret_calls += cursor_real(cursor, "calls");
	}
	return rule_finish(input, cursor, 0);
}

/* Calls of functions that the user did not write and that have hooks all the same: those
 * of headers, as a library of the system has none. They make no finding less certain;
 * they take the time that the hooks take, and room in every table. *ret: the recipe
 * against them; NULL: they are few. */
static int look_at_headers(struct rule_input *input, const char **ret)
{
	struct quality_fact fact = {.name = "header_share", .most = CONFIDENCE_MEDIUM};
	struct cursor *cursor = rule_query(input, quality_sql_headers);

	*ret = NULL;
	if (cursor_next(cursor) > 0)
		fact.value =
			rule_share(cursor_real(cursor, "calls"), (double)input->calls);
	if (fact.value >= rule_limit(input, "header_share")) {
		fact.text = percent(input, fact.value, 0,
				    "of the calls are of functions of system headers or "
				    "libraries");
		*ret = rule_text(input,
				 "%s; 'prof-analyze exclude-list --program PROGRAM' has "
				 "the lines for CMake, Meson and Autotools",
				 recipe_advice(COMPILER_UNKNOWN));
		fact.advice = *ret;
		add_share(input, &fact, "header_share", NULL);
	}
	return rule_finish(input, cursor, 0);
}

/* Where samples tell them from the program's own times, hooks doubt nothing.
 * What was recorded at its cost, of all time that the hooks saw, less waits for a CPU: on
 * a busy machine they would make the share look small. Not of the corrected times: where
 * too little was left of one, they add up to more than there was. */
static int look_at_hooks(struct rule_input *input, const char *recipe)
{
	double tiny_calls = 0;
	size_t tiny_count = 0;
	struct quality_fact fact = {.name = "hook_share", .touches = TRUST_TIME};
	struct strbuf words = {0}, advice = {0};
	const struct time_run *run = input->time_run;
	int result;

	fact.value =
		rule_share(input->hooks_ns, input->recorded_ns - run->roots_ready_ns);
	if (!(fact.value >= rule_limit(input, "hooks_medium")) ||
	    (double)input->cpu_sample_count >= rule_limit(input, "samples_enough"))
		return 0;
	result = put_tiny(input, &words, &tiny_calls, &tiny_count);
	/* The report has the hooks' share of the wall, too, where such waits
	 * are in it. */
	fact.text = percent(
		input, fact.value, rule_share(input->hooks_error_ns, input->recorded_ns),
		run->roots_ready_ns > 0.005 * input->recorded_ns
			? "of the time, waits for a CPU aside, was the hooks' "
			  "own, which is subtracted"
			: "of the time was the hooks' own, which is subtracted");
	strbuf_puts(&advice, tiny_count ? "Leave tiny functions out first: "
					  "-finstrument-functions-exclude-function-list="
					  "NAMES"
					: "No function is tiny: record at a level with a "
					  "budget (PROFSHIM_LEVEL=detailed), or only a "
					  "part (PROFSHIM_ONLY)");
	if (words.size) {
		strbuf_printf(&advice, ", such as %s with ", strbuf_text(&words));
		units_percent(&advice,
			      100 * rule_share(tiny_calls, (double)input->calls));
		strbuf_puts(&advice, " of the calls");
	}
	if (tiny_count)
		strbuf_puts(&advice, "; 'prof-analyze exclude-list' has all of them");
	fact.advice = recipe ? recipe : rule_copy(input, strbuf_text(&advice));
	add_share(input, &fact, "hooks_medium", "hooks_low");
	strbuf_free(&words);
	strbuf_free(&advice);
	return result;
}

/* A counter that makes findings less sure. */
struct loss {
	const struct trust_counter *counter;
	double value;
};

/* "13 calls folded into their callers (0.2% of the calls)" */
static const char *loss_words(struct rule_input *input, const struct loss *loss,
			      double share)
{
	struct strbuf words = {0};
	const char *copy;

	units_trust(&words, loss->counter, whole_number(loss->value));
	if (share > 0) {
		strbuf_puts(&words, " (");
		units_percent(&words, 100 * share);
		strbuf_puts(&words, loss->counter->whole == TRUST_OF_CALLS
					    ? " of the calls)"
					    : " of the allocations)");
	}
	copy = rule_copy(input, strbuf_text(&words));
	strbuf_free(&words);
	return copy;
}

/* wholes: what was recorded, with what was lost. */
static void add_loss(struct rule_input *input, const struct loss *loss,
		     const double *wholes)
{
	const struct trust_counter *counter = loss->counter;
	const double recorded[TRUST_WHOLES] = {[TRUST_OF_CALLS] = (double)input->calls,
					       [TRUST_OF_ALLOCATIONS] =
						       input->alloc_count};
	double share = recorded[counter->whole]
			       ? rule_share(loss->value, wholes[counter->whole])
			       : 0;
	struct quality_fact fact = {.name = counter->name,
				    .unit = "count",
				    .value = loss->value,
				    .touches = counter->touches,
				    .text = loss_words(input, loss, share),
				    .advice = counter->advice};

	if (share > 0) {
		fact.value = share;
		add_share(input, &fact, "lost_medium", "lost_low");
		return;
	}
	/* A share of nothing says nothing. */
	fact.most = counter->whole ? CONFIDENCE_LOW : CONFIDENCE_MEDIUM;
	quality_add(input->quality, &fact);
}

static void add_repairs(struct rule_input *input, double repairs, double calls)
{
	struct quality_fact fact = {
		.name = "repaired_frames",
		.touches = TRUST_TIME,
		.value = rule_share(repairs, calls),
		.advice = trust_counter_find("repaired_frames")->advice,
	};

	fact.text = percent(input, fact.value, 0,
			    "of the calls were left without their exit");
	add_share(input, &fact, "repaired_medium", NULL);
}

static int look_at_counters(struct rule_input *input)
{
	double repairs = 0;
	double wholes[TRUST_WHOLES] = {[TRUST_OF_CALLS] = (double)input->calls,
				       [TRUST_OF_ALLOCATIONS] = input->alloc_count};
	struct loss losses[QUALITY_FACTS];
	size_t count = 0;
	struct cursor *cursor = rule_query(input, quality_sql_counters);

	while (cursor_next(cursor) > 0) {
		const char *name = cursor_text(cursor, "name");
		double value = cursor_real(cursor, "sum");
		const struct trust_counter *counter =
			name ? trust_counter_find(name) : NULL;

		if (!name)
			continue;
		if (strcmp(name, "repaired_frames") == 0 ||
		    strcmp(name, "orphan_exits") == 0)
			repairs += value;
		if (!counter || !counter->touches || count == QUALITY_FACTS)
			continue;
		/* A lost free is of an allocation that was counted. */
		if (strcmp(name, "lost_frees") != 0)
			wholes[counter->whole] += value;
		losses[count++] = (struct loss){counter, value};
	}
	for (size_t i = 0; i < count; i++)
		add_loss(input, &losses[i], wholes);
	add_repairs(input, repairs, wholes[TRUST_OF_CALLS]);
	return rule_finish(input, cursor, 0);
}

static int look_at_names(struct rule_input *input)
{
	const struct trust_counter *counter = trust_counter_find("unresolved_share");
	struct quality_fact fact = {.name = counter->name,
				    .touches = counter->touches,
				    .advice = counter->advice};
	struct cursor *cursor = rule_query(input, quality_sql_unresolved);

	if (cursor_next(cursor) > 0)
		fact.value = rule_share(cursor_real(cursor, "self_ns"), input->self_ns);
	fact.text = percent(input, fact.value, 0, counter->many);
	add_share(input, &fact, "unresolved_share", NULL);
	return rule_finish(input, cursor, 0);
}

static void look_at_end(struct rule_input *input)
{
	if (input->is_live || !input->complete)
		add_loss(input,
			 &(struct loss){trust_counter_find(input->is_live ? "is_live"
									  : "incomplete"),
					1},
			 NULL);
}

static int evaluate(struct rule_input *input, struct findings *ret)
{
	const char *recipe;
	int result = look_at_headers(input, &recipe);

	(void)ret;
	if (result == 0)
		result = look_at_hooks(input, recipe);
	if (result == 0)
		result = look_at_counters(input);
	if (result == 0)
		result = look_at_names(input);
	if (result == 0)
		look_at_end(input);
	return result;
}

static const struct rule_limit limits[] = {
	{"hooks_medium", 0.3, "ratio", .not_above = "hooks_low",
	 .meaning = "hooks' share of the recorded time from which findings about time "
		    "have at most medium confidence"},
	{"hooks_low", 0.8, "ratio", .most = 1, .meaning = "the same for low"},
	{"samples_enough", 200, "count",
	 .meaning =
		 "with so many samples of CPU time, which tell hooks from the program, "
		 "the hooks' share does not count"},
	{"lost_medium", 0.001, "ratio", .not_above = "lost_low",
	 .meaning = "share of the calls, or of the allocations, that was lost or put in "
		    "another place, from which findings that rest on them have at most "
		    "medium confidence"},
	{"lost_low", 0.1, "ratio", .most = 1, .meaning = "the same for low"},
	{"repaired_medium", 0.05, "ratio", .most = 1,
	 .meaning = "share of the calls that had no exit of their own, from which "
		    "findings about time have at most medium confidence"},
	{"header_share", 0.3, "ratio", .most = 1,
	 .meaning = "share of the calls that are of functions of system headers or "
		    "libraries from which the flags that leave them out are told"},
	{"unresolved_share", 0.05, "ratio", .most = 1,
	 .meaning = "share of the time in functions without a name, from which findings "
		    "about such functions have at most medium confidence"},
	{0},
};

const struct rule rule_quality = {
	.id = "Q1",
	.slug = "data-quality",
	.limits = limits,
	.title = "The recording itself",
	.summary =
		"what was lost, repaired or spent on the hooks lowers the confidence of "
		"the findings that rest on it",
	.needs = MEASURED_OWN,
	.evaluate = evaluate,
};
