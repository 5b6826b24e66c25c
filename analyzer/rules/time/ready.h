/* SPDX-License-Identifier: MIT */
/* What a run waited for a CPU between two moments, as the kernel said in samples. */
#pragma once

#include <stddef.h>

struct rule_input;

/* Zeroed: it never waited. */
struct time_ready {
	/* Sums over all processes up to a moment. */
	struct time_ready_point {
		double time_ns, ready_ns;
	} * points;
	size_t count, capacity;
};

/* 0 or -errno (then input->error is set). */
int time_ready_load(struct rule_input *input, struct time_ready *ret);
void time_ready_free(struct time_ready *ready);
/* Of all threads: of several at most what one did. Samples are joined by lines. */
double time_ready_between(const struct time_ready *ready, double from_ns, double to_ns);
/* At most, for a stretch that may be shorter than the time between samples. */
double time_ready_most(const struct time_ready *ready, double from_ns, double to_ns);
