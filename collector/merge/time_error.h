/* SPDX-License-Identifier: MIT */
/*
 * What may be wrong with a time, by where it comes from. Must not be widened to an
 * interval before all that belongs together is added up.
 *
 * Each part is a standard deviation in ns, or the square of one. What a hook costs, for
 * instance, is wrong by the same amount for each call of the run, so such parts of
 * several times add up, with their signs: positive where the time is less when the cost
 * is more. Which of several paths had a time has opposite signs on these, and no part in
 * the total of a path above them. Squares add up. Of parts into which one path's time was
 * divided these are larger than that of their sum: by `shared`, which counts in totals
 * only.
 */
#pragma once

#include <stdint.h>

struct time_error {
	float hooks;	 /* of what a pair of hooks costs */
	float split;	 /* of which part of that lies inside the call's own interval */
	float allocs;	 /* of what recording an allocation costs */
	float counted;	 /* of what a call costs that is only counted */
	float placed;	 /* of which path's the time was */
	float grain;	 /* ns that one sample stands for; the largest. 0: none did */
	double variance; /* of chance, ns squared */
	double samples;	 /* of that of samples, by Poisson: their number times grain^2 */
	double shared;	 /* of variance and samples, what totals do not have */
};

void time_error_add(struct time_error *to, const struct time_error *more);

/* Any part of most_ns may be the one's or the other's: which, is not known. */
void time_error_doubt(struct time_error *one, struct time_error *other, double most_ns);

/* Half of the interval that has the true time in 95 of 100 cases; 0 only when nothing is
 * wrong. Numbers that are none count as the longest time. most_ns: it is no longer than
 * that, as hooks only add to what was recorded. Of a time by itself, and of one with all
 * below it. */
int64_t time_error_half_width(const struct time_error *error, int64_t time_ns,
			      int64_t most_ns);
int64_t time_error_total_half_width(const struct time_error *error, int64_t time_ns,
				    int64_t most_ns);
