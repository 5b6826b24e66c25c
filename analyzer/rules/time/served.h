/* SPDX-License-Identifier: MIT */
/*
 * How much of its wish to compute a run was given, over time: durations of a stretch in
 * which the machine was busy are long for that alone.
 */
#pragma once

#include <stddef.h>

struct rule_input;

/* Sums over all processes up to a moment. */
struct time_served_point {
	double time_ns, cpu_ns, wait_ns;
};

/* Zeroed: nothing is known, everything was given. */
struct time_served {
	struct time_served_point *points;
	size_t count, capacity;
};

/* From the samples of /proc. 0 or -errno (then input->error is set). */
int time_served_load(struct rule_input *input, struct time_served *ret);
void time_served_free(struct time_served *served);

/* The part that was given between two moments, 0.1 to 1. */
double time_served_between(const struct time_served *served, double from_ns,
			   double to_ns);
