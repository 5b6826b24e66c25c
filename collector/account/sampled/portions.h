/* SPDX-License-Identifier: MIT */
/* Which of several paths of one function samples were on. Must not divide times. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/account/holders.h"
#include "collector/merge/merge.h"

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
