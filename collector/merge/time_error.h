/* SPDX-License-Identifier: MIT */
/*
 * What may be wrong with a time, by where it comes from. Must not be widened to an
 * interval before all that belongs together is added up.
 *
 * Each part is a standard deviation in ns. What a hook costs, for instance, is wrong by
 * the same amount for each call of the run, so such parts of several times add up, with
 * their signs: positive where the time is less when the cost is more. An estimate that is
 * added to one path and taken from another has opposite signs there, and no part in the
 * total of a path above both. Only the last part is chance, another one for each time, of
 * which the squares add up.
 */
#pragma once

#include <stdint.h>

struct time_error {
	float hooks;	/* of what a pair of hooks costs */
	float split;	/* of which part of that lies inside the call's own interval */
	float allocs;	/* of what recording an allocation costs */
	float counted;	/* of what a call costs that is only counted */
	float estimate; /* of the time of calls that were only counted */
	float variance; /* of chance, ns squared */
};

void time_error_add(struct time_error *to, const struct time_error *more);

/* Half of the interval that has the true time in 95 of 100 cases; 0 only when nothing is
 * wrong. Numbers that are none count as the longest time. most_ns: it is no longer than
 * that, as hooks only add to what was recorded. */
int64_t time_error_half_width(const struct time_error *error, int64_t time_ns,
			      int64_t most_ns);
