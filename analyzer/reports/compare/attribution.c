/* SPDX-License-Identifier: MIT */
/*
 * What is said when the whole run changed for sure, and no function is known to have.
 * Must not name one: which of those that are estimated it was is just what is not known.
 */
#include "analyzer/reports/compare/parts.h"

#include "analyzer/model/units.h"

#include <math.h>

/* +1 or -1 where the whole interval, errors included, is on one side of nothing, and the
 * runs are enough to say so; else 0. */
static int direction(const struct change *change)
{
	if (!change->is_tested || change->p > VERDICT_ALPHA || !compare_is_known(change))
		return 0;
	if (change->shift.low > 0 && change->ratio.low > 1)
		return 1;
	return change->shift.high < 0 && change->ratio.high < 1 ? -1 : 0;
}

static bool is_outcome(const struct change *change, int direction)
{
	return change->outcome == (direction > 0 ? OUTCOME_REGRESSED : OUTCOME_IMPROVED);
}

/* By a function that changed the same way, or that is on one side alone. */
static bool is_explained(const struct compare_state *state, int direction)
{
	const struct comparison *comparison = &state->comparison;
	uint8_t side = direction > 0 ? COMPARE_AFTER : COMPARE_BEFORE;

	for (uint32_t i = 0; i < comparison->function_values.count; i++) {
		struct change change;

		if (is_outcome(compare_main(state, &state->functions[i]), direction))
			return true;
		if (comparison->functions[i].presence != side)
			continue;
		change = compare_means(state, &comparison->function_values, i,
				       compare_main_metric(state));
		if (compare_known_difference(&change) != 0)
			return true;
	}
	return false;
}

struct estimated {
	int64_t count;
	double time_ns, all_ns; /* of both sides */
};

static struct estimated find_estimated(const struct compare_state *state)
{
	const struct comparison *comparison = &state->comparison;
	struct estimated found = {0};

	for (uint32_t i = 0; i < comparison->function_values.count; i++) {
		const struct compare_function *function = &comparison->functions[i];
		struct change time = compare_means(state, &comparison->function_values, i,
						   compare_main_metric(state));

		if (!function->presence)
			continue;
		found.all_ns += time.before + time.after;
		if (!function->estimated && !function->holder)
			continue;
		found.count++;
		found.time_ns += time.before + time.after;
	}
	return found;
}

static void put_why(struct strbuf *text, const struct estimated *estimated)
{
	if (!estimated->count) {
		strbuf_puts(text, "no function's time changed by more than its own "
				  "interval.");
		return;
	}
	units_counted(text, estimated->count, "function");
	strbuf_puts(text, ", with ");
	units_percent(text, units_share(estimated->time_ns, estimated->all_ns));
	strbuf_puts(text, estimated->count == 1
				  ? " of the time, is estimated or holds what is"
				  : " of the time, are estimated or hold what is");
	strbuf_puts(text, "; none changed by more than its error.");
}

void compare_note_unattributed(struct compare_state *state)
{
	enum run_metric metric = compare_has_cpu(state) ? RUN_CPU : RUN_WALL;
	const struct change *change = &state->run_changes[metric];
	struct strbuf text = {0};
	struct estimated estimated;
	int moved = direction(change);

	if (!moved || state->not_comparable.all || state->not_comparable.times ||
	    state->not_comparable.parts || is_explained(state, moved))
		return;
	estimated = find_estimated(state);
	strbuf_printf(&text, "%s %+.1f%% [%+.1f, %+.1f], not attributed: ",
		      metric == RUN_CPU ? "CPU time" : "Wall time",
		      100 * (change->ratio.estimate - 1), 100 * (change->ratio.low - 1),
		      100 * (change->ratio.high - 1));
	put_why(&text, &estimated);
	doc_note(state->doc, "not_attributed", NOTE_PLAIN, strbuf_text(&text),
		 estimated.count
			 ? "PROFSHIM_LEVEL=exact on both sides times every call; "
			   "PROFSHIM_ONLY with few functions leaves the budget to these."
			 : NULL);
	strbuf_free(&text);
}
