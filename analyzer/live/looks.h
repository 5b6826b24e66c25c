/* SPDX-License-Identifier: MIT */
/* A look after the other, and what they cost: for the log, frames and the terminal. */
#pragma once

#include "analyzer/live/live.h"

struct top {
	struct live live;
	const char *word;  /* as the user named it */
	unsigned every_ms; /* between two looks, as asked for */
	long count;	   /* looks; 0: until the program ends */
	uint64_t began_ns; /* the last look, by CLOCK_MONOTONIC */
	uint64_t cost_ns;  /* CPU time of a look with all that is shown, lately */
};

/* A look, and what it cost so far. -EIO: nothing can be read any more. */
int top_look(struct top *top);
/* What showing it cost in addition. began_ns: top_cpu_ns() before. */
void top_add_cost(struct top *top, uint64_t began_ns);
uint64_t top_cpu_ns(void);
/* How long to wait for the next look, which begins every_ms behind the last one, or
 * later: so that looking takes a 20th of a CPU at most. */
unsigned top_pause_ms(const struct top *top);
