/* SPDX-License-Identifier: MIT */
/*
 * What the samples of all lanes say of a function together: how much of its time hooks
 * took against the calibration, and how long a call took that was only counted. Must not
 * divide anything.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/account/holders.h"
#include "collector/merge/merge.h"

/* Of a function. */
struct pool {
	double calls, ns; /* of its counted calls: how many, and samples in them */
	double hook_ns, model_ns; /* of its paths: samples in hooks, the calibration's */
	bool is_known; /* calls of it were counted in lanes that have samples */
};

struct pools {
	struct pool *all; /* by function, and behind them of no frame at all */
	struct pool sum;
	size_t function_count;
	double samples, ns; /* of all lanes */
};

void pools_init(struct pools *pools, size_t function_count);
void pools_done(struct pools *pools);

/* Adds a lane in the cells, with its self times, and its calls without frames. */
void pools_note(struct pools *pools, const struct merge *merge, uint32_t lane,
		const struct held *held, size_t count);

/* Of the frames of a path, 0: of no frame. */
const struct pool *pools_of(const struct pools *pools, const struct merge *merge,
			    uint32_t path);

/* What a sample stands for. 0: there are none. */
double pools_period_ns(const struct pools *pools);
/* What the hooks cost, in times of the calibration. period_ns: of a sample. */
double pools_hook_factor(const struct pools *pools, const struct pool *pool,
			 double period_ns);
/* Of a call that was only counted. */
double pools_call_ns(const struct pool *pool);

/* Samples of the recorder itself. */
bool pools_is_hook(const struct sampled_row *row);
