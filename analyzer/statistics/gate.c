/* SPDX-License-Identifier: MIT */
/*
 * Checks a change against a limit. Must not fail if the interval contains the limit, or
 * pass if no number of such runs could fail.
 */
#include "analyzer/statistics/gate.h"

#include <stdlib.h>

/* Rounding of percentages, far below anything that matters. */
#define SLACK 1e-9

static double difference_limit(const struct gate_limit *limit, double before)
{
	return limit->is_percent ? before * limit->most / 100 : limit->most;
}

static enum gate_result check_interval(const struct gate_limit *limit,
				       const struct change *change)
{
	const struct statistics_shift *runs =
		limit->is_percent ? &change->runs_ratio : &change->runs_shift;
	double most = limit->is_percent ? 1 + limit->most / 100 : limit->most;

	if (!change->is_tested || runs->confidence < VERDICT_CONFIDENCE - SLACK)
		return GATE_NOT_MEASURED;
	if (change_widest(change, limit->is_percent).low > most + SLACK)
		return GATE_EXCEEDED;
	if (change_narrowest(change, limit->is_percent).high <= most + SLACK)
		return GATE_KEPT;
	return runs->low > most + SLACK || runs->high <= most + SLACK ? GATE_BLURRED
								      : GATE_INCONCLUSIVE;
}

enum gate_result gate_check(const struct gate_limit *limit, const struct change *change)
{
	double difference = change->after - change->before;

	if (!change->is_exact)
		return check_interval(limit, change);
	if (difference <= difference_limit(limit, change->before) + SLACK)
		return GATE_KEPT;
	return GATE_EXCEEDED;
}

bool gate_can_judge(const struct change *change)
{
	return change->is_exact ||
	       (change->is_tested &&
		change->ratio.confidence >= VERDICT_CONFIDENCE - SLACK);
}

const char *gate_result_word(enum gate_result result)
{
	static const char *const words[] = {
		[GATE_KEPT] = "kept",
		[GATE_INCONCLUSIVE] = "inconclusive",
		[GATE_BLURRED] = "within the error",
		[GATE_NOT_MEASURED] = "not measured",
		[GATE_NOT_COMPARABLE] = "not comparable",
		[GATE_EXCEEDED] = "exceeded",
	};

	return words[result];
}

bool gate_is_set(const struct gate *gate)
{
	return gate->count || gate->on_regression || gate->on_inconclusive;
}

void gate_free(struct gate *gate)
{
	for (size_t i = 0; i < gate->count; i++) {
		free(gate->limits[i].text);
		free(gate->limits[i].function);
	}
	free(gate->limits);
	*gate = (struct gate){0};
}
