/* SPDX-License-Identifier: MIT */
/*
 * The time of code without hooks, below the paths that called it: of what a part was
 * given of its holder's time (divide.h), by the samples of the part. Must not change what
 * a path and these have together, nor how uncertain that is.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/account/holders.h"
#include "collector/merge/merge.h"

/* Which of several paths of one function samples were on. Must not divide times. */

/* What calls of one function have of the time of the path that holds it. */
struct part {
	const struct held *held;
	size_t count;
	uint32_t function;
	const struct sampled_row *rows; /* in it, and in what it calls without hooks */
	size_t row_count;
	double calls, sampled_ns, model_ns;
};

/* Adds to weights, of each of the calls, what the rows say that it has of their time:
 * those whose stacks agree with most of its path; where none says, as there are calls.
 * is_counted: by function, not 0. Returns for how much of it stacks say. */
double portions_add(const struct merge *merge, const uint32_t *is_counted,
		    const struct sampled_row *rows, size_t row_count,
		    const struct held *held, size_t count, double *weights);

/* What is divided among parts, and the samples that say how. */
struct whole {
	double ns, samples, period_ns;
};

/* What a path was given of a part. */
struct given {
	double share, portion; /* of the whole; of the part */
	double own;	       /* of that, not moved to others so far */
	float placed;	       /* as that of an error */
	int64_t ns;
};

/* Of a portion of a part that has so much of the whole. */
struct time_error whole_error(const struct whole *whole, double share, double portion);

/* Of what the clock said of a path, too: what remains of that is the hooks'. */
void leaves_move_raw(struct merge *merge, uint32_t from, uint32_t to, int64_t ns);

/* weights: of all samples of the part, as portions_add() says them; given: of each. */
void leaves_give(struct merge *merge, const uint32_t *is_counted,
		 const struct whole *whole, const struct part *part,
		 const double *weights, struct given *given);
/* The same of a part that one path has. */
void leaves_give_path(struct merge *merge, const uint32_t *is_counted,
		      const struct whole *whole, const struct part *part, uint32_t path,
		      double share, int64_t ns);
