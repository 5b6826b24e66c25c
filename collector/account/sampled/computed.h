/* SPDX-License-Identifier: MIT */
/*
 * What the paths of a lane computed, by the clock and by samples. Must not let the lane
 * wait for longer than its threads did.
 *
 * The clock knows switches as far as they were seen. On a busy machine they are seen
 * late, on the next path, or not at all where it is the host of a virtual one that takes
 * the CPU. Where it says what 95 % of such counts of samples would not, the samples
 * count.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/account/holders.h"
#include "collector/merge/merge.h"

/*
 * What the samples of all lanes say of a function together: how much of its time hooks
 * took against the calibration, and how long a call took that was only counted. Must not
 * divide anything.
 */

/* Of a function. */
struct pooled {
	double calls, ns; /* of its counted calls: how many, and samples in them */
	double hook_ns, model_ns; /* of its paths: samples in hooks, the calibration's */
	double own_ns, all_ns;	  /* of its paths: samples in its own code, all of them */
	bool is_known; /* calls of it were counted in lanes that have samples */
};

struct pools {
	struct pooled *all; /* by function, and behind them of no frame at all */
	struct pooled sum;
	size_t function_count;
	double samples, ns; /* of all lanes */
};

void pools_init(struct pools *pools, struct pool *pool, size_t function_count);

/* Adds a lane in the cells, with its self times, and its calls without frames. */
void pools_note(struct pools *pools, const struct merge *merge, uint32_t lane,
		const struct held *held, size_t count);

/* Of the frames of a path, 0: of no frame. */
const struct pooled *pools_of(const struct pools *pools, const struct merge *merge,
			      uint32_t path);

/* What a sample stands for. 0: there are none. */
double pools_period_ns(const struct pools *pools);
/* What the hooks cost, in times of the calibration. period_ns: of a sample. */
double pools_hook_factor(const struct pools *pools, const struct pooled *pool,
			 double period_ns);
/* The part of its paths' time that is its own, by their samples; few of them are taken
 * together with `otherwise`. */
double pools_own_part(const struct pooled *pool, double period_ns, double otherwise);
/* Of a call that was only counted. */
double pools_call_ns(const struct pooled *pool);

struct computed {
	/* Has it samples; is it known what its threads computed? How much of that has no
	 * samples, and how much of this was before the first. */
	bool is_sampled, has_clock;
	double period_ns, unsampled_ns, early_ns;
	double ready_part; /* of what samples take off computed time, what was ready */
	const struct sampled_row *rows;
	size_t row_count;
};

/* Samples of one path. */
struct computed_path {
	uint32_t path;
	const struct sampled_row *rows; /* borrowed */
	size_t row_count;
	double sampled_ns; /* of those whose address is known */
	double folded_ns;  /* of others */
	double hook_ns;	   /* of sampled_ns: in the recorder */
};

/* Has the lane samples to go by, of most of what it computed? */
bool computed_has_samples(const struct merge *merge, uint32_t lane);

/* period_ns: of a sample, where the lane has none; 0: the run has none either. */
void computed_find(struct computed *ret, const struct merge *merge, uint32_t lane,
		   double period_ns);
/* While the lane is in the cells, with its raw self times. */
void computed_find_ready(struct computed *computed, const struct merge *merge);
/* path 0: of no frame. */
struct computed_path computed_of_path(const struct computed *computed, uint32_t path);
/* What the cell's path computed itself; what it was ready, and its self time, change with
 * that. sampled_ns: of all of its samples. Once for each cell, when what was ready is
 * found. */
double computed_cpu_ns(const struct computed *computed, struct merge_cell *cell,
		       double sampled_ns);
