/* SPDX-License-Identifier: MIT */
/* Sums of samples by function. */
#include "collector/account/sampled/pools.h"

#include <stdlib.h>

#include "common/base/xalloc.h"

/* The weight of what all functions say, in samples. */
#define POOL_SAMPLES 4.0

void pools_init(struct pools *pools, size_t function_count)
{
	*pools = (struct pools){.function_count = function_count};
	pools->all = xcalloc(function_count + 1, sizeof(*pools->all));
}

void pools_done(struct pools *pools)
{
	free(pools->all);
	*pools = (struct pools){.all = NULL};
}

bool pools_is_hook(const struct sampled_row *row)
{
	return row->kind == SAMPLED_HOOKS || row->kind == SAMPLED_STUBS;
}

static struct pool *pool_of(struct pools *pools, const struct merge *merge, uint32_t path)
{
	return &pools->all[path ? merge->paths[path].function : pools->function_count];
}

const struct pool *pools_of(const struct pools *pools, const struct merge *merge,
			    uint32_t path)
{
	return &pools->all[path ? merge->paths[path].function : pools->function_count];
}

static void note_row(struct pools *pools, const struct merge *merge,
		     const struct sampled_row *row)
{
	struct pool *holder = pool_of(pools, merge, row->path);
	double ns = (double)row->cpu_ns;

	pools->samples += (double)row->count;
	pools->ns += ns;
	if (pools_is_hook(row)) {
		holder->hook_ns += ns;
		pools->sum.hook_ns += ns;
	}
	if (row->kind != SAMPLED_CODE || row->credited_function >= pools->function_count)
		return;
	/* the others are of calls that have a frame */
	if (holder != &pools->all[row->credited_function])
		pools->all[row->credited_function].ns += ns;
}

void pools_note(struct pools *pools, const struct merge *merge, uint32_t lane,
		const struct held *held, size_t count)
{
	size_t row_count;
	const struct sampled_row *rows =
		sampled_of_lane(&merge->sampled, lane, &row_count);
	double counted_ns =
		merge->process_cost[merge->run->lanes[lane].process].counted_ns;

	for (size_t i = 0; i < row_count; i++)
		note_row(pools, merge, &rows[i]);
	for (size_t i = 0; i < merge->touched_count; i++) {
		uint32_t path = merge->touched[i];
		double ns = (double)merge->cells[path].hook_ns;

		pool_of(pools, merge, path)->model_ns += ns;
		pools->sum.model_ns += ns;
	}
	for (size_t i = 0; i < count; i++) {
		struct pool *own = &pools->all[held[i].function];

		own->is_known = true;
		own->calls += held[i].calls;
		if (held[i].holder)
			continue; /* in its cell's */
		pool_of(pools, merge, 0)->model_ns += held[i].counting * counted_ns;
		pools->sum.model_ns += held[i].counting * counted_ns;
	}
}

double pools_period_ns(const struct pools *pools)
{
	return pools->samples > 0 ? pools->ns / pools->samples : 0;
}

double pools_hook_factor(const struct pools *pools, const struct pool *pool,
			 double period_ns)
{
	double all =
		pools->sum.model_ns > 0 ? pools->sum.hook_ns / pools->sum.model_ns : 1;
	double weight = POOL_SAMPLES * period_ns;

	return pool->model_ns > 0 || weight > 0
		       ? (pool->hook_ns + weight * all) / (pool->model_ns + weight)
		       : all;
}

double pools_call_ns(const struct pool *pool)
{
	return pool->calls >= 1 ? pool->ns / pool->calls : 0;
}
