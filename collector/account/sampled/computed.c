/* SPDX-License-Identifier: MIT */
/* CPU time of paths, where clock and samples differ. */
#include "collector/account/sampled/computed.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/xalloc.h"
#include "common/poisson.h"

/* Sums of samples by function. */

/* The weight of what all functions say, in samples. */
#define POOL_SAMPLES 4.0

void pools_init(struct pools *pools, struct pool *pool, size_t function_count)
{
	*pools = (struct pools){.function_count = function_count};
	pools->all = pool_array(pool, function_count + 1, sizeof(*pools->all));
}

/* Samples of the recorder itself. */
static bool pools_is_hook(const struct sampled_row *row)
{
	return row->kind == SAMPLED_HOOKS || row->kind == SAMPLED_STUBS;
}

static struct pooled *pool_of(struct pools *pools, const struct merge *merge,
			      uint32_t path)
{
	return &pools->all[path ? merge->paths[path].function : pools->function_count];
}

const struct pooled *pools_of(const struct pools *pools, const struct merge *merge,
			      uint32_t path)
{
	return &pools->all[path ? merge->paths[path].function : pools->function_count];
}

static void note_row(struct pools *pools, const struct merge *merge,
		     const struct sampled_row *row)
{
	struct pooled *holder = pool_of(pools, merge, row->path);
	double ns = (double)row->cpu_ns;
	bool is_other = row->kind == SAMPLED_CODE &&
			row->credited_function < pools->function_count &&
			holder != &pools->all[row->credited_function];

	if (row->kind != SAMPLED_FOLDED)
		holder->all_ns += ns;
	if (row->kind == SAMPLED_CODE && !is_other)
		holder->own_ns += ns;
	pools->samples += (double)row->count;
	pools->ns += ns;
	if (pools_is_hook(row)) {
		holder->hook_ns += ns;
		pools->sum.hook_ns += ns;
	}
	/* the others are of calls that have a frame */
	if (is_other)
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
		struct pooled *own = &pools->all[held[i].function];

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

double pools_hook_factor(const struct pools *pools, const struct pooled *pool,
			 double period_ns)
{
	double all =
		pools->sum.model_ns > 0 ? pools->sum.hook_ns / pools->sum.model_ns : 1;
	double weight = POOL_SAMPLES * period_ns;

	return pool->model_ns > 0 || weight > 0
		       ? (pool->hook_ns + weight * all) / (pool->model_ns + weight)
		       : all;
}

double pools_own_part(const struct pooled *pool, double period_ns, double otherwise)
{
	double weight = POOL_SAMPLES * period_ns;

	return pool->all_ns + weight > 0
		       ? (pool->own_ns + weight * otherwise) / (pool->all_ns + weight)
		       : otherwise;
}

double pools_call_ns(const struct pooled *pool)
{
	return pool->calls >= 1 ? pool->ns / pool->calls : 0;
}

/* Three years; only damaged numbers are larger. */
#define MOST_NS 1e17

/* What the threads of a lane have computed; 0: not known. */
static double clock_ns(const struct merge *merge, uint32_t lane)
{
	const struct read_lane *from = &merge->run->lanes[lane];
	const struct read_process *process = &merge->run->processes[from->process];
	double ns = 0;

	for (uint32_t i = 0; i < process->thread_count; i++)
		if (process->threads[i].lane_slot == from->slot)
			ns += (double)process->threads[i].cpu_ns;
	return ns;
}

/* Samples of the smaller part of what was computed say nothing of the rest. */
bool computed_has_samples(const struct merge *merge, uint32_t lane)
{
	const struct sampled_lane *own = sampled_header(&merge->sampled, lane);

	return own &&
	       (double)own->cpu_ns + (double)own->kernel_ns >= clock_ns(merge, lane) / 2;
}

/* The first row of a path, or of a later one. */
static size_t find_rows(const struct computed *computed, uint32_t path)
{
	size_t low = 0, high = computed->row_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (computed->rows[middle].path < path)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Threads have no samples at first, and none in the kernel. */
void computed_find(struct computed *ret, const struct merge *merge, uint32_t lane,
		   double period_ns)
{
	const struct sampled_lane *own = sampled_header(&merge->sampled, lane);
	double computed = clock_ns(merge, lane), ns = 0, samples = 0;

	*ret = (struct computed){.is_sampled = computed_has_samples(merge, lane),
				 .period_ns = period_ns};
	if (!ret->is_sampled)
		return;
	ret->rows = sampled_of_lane(&merge->sampled, lane, &ret->row_count);
	for (size_t i = 0; i < ret->row_count; i++) {
		ns += (double)ret->rows[i].cpu_ns;
		samples += (double)ret->rows[i].count;
	}
	if (samples > 0)
		ret->period_ns = ns / samples;
	ret->has_clock = computed > (double)own->cpu_ns / 2;
	ret->unsampled_ns = fmin(fmax(computed - (double)own->cpu_ns, 0), MOST_NS);
	ret->early_ns = fmax(ret->unsampled_ns - (double)own->kernel_ns, 0);
}

struct computed_path computed_of_path(const struct computed *computed, uint32_t path)
{
	size_t first = find_rows(computed, path);
	struct computed_path ret = {.path = path, .rows = computed->rows + first};

	for (; first + ret.row_count < computed->row_count; ret.row_count++) {
		const struct sampled_row *row = &ret.rows[ret.row_count];

		if (row->path != path)
			break;
		if (row->kind == SAMPLED_FOLDED)
			ret.folded_ns += (double)row->cpu_ns;
		else
			ret.sampled_ns += (double)row->cpu_ns;
		if (pools_is_hook(row))
			ret.hook_ns += (double)row->cpu_ns;
	}
	ret.sampled_ns = fmin(ret.sampled_ns, MOST_NS);
	ret.folded_ns = fmin(ret.folded_ns, MOST_NS);
	ret.hook_ns = fmin(ret.hook_ns, ret.sampled_ns);
	return ret;
}

/* By the clock, without waits: what was computed, as far as switches were seen. On a busy
 * machine they are seen late, on the next path, or not at all where it is the host of a
 * virtual one that takes the CPU: then the samples count, and the thread was ready to run
 * for more or less than was booked. What it computed without samples, in the kernel or
 * before the first, may all have been here. Returns by how much it was longer. */
static int64_t longer_ns(const struct computed *computed, const struct merge_cell *cell,
			 double sampled_ns)
{
	int64_t ns = cell->raw_self_ns - cell->self_ready_ns - cell->self_blocked_ns;
	double samples = sampled_ns / computed->period_ns;
	double most =
		poisson_high(samples) * computed->period_ns + computed->unsampled_ns;

	if (!computed->has_clock)
		return 0;
	if ((double)ns > most)
		return (int64_t)(sampled_ns + computed->unsampled_ns) - ns;
	if ((double)ns < poisson_low(samples) * computed->period_ns)
		return (int64_t)fmin(sampled_ns - (double)ns,
				     (double)cell->self_ready_ns);
	return 0;
}

/* Waits only move between the paths of a lane: what is more on one is less on others. */
void computed_find_ready(struct computed *computed, const struct merge *merge)
{
	double more = 0, less = 0;

	for (size_t i = 0; i < merge->touched_count; i++) {
		uint32_t path = merge->touched[i];
		struct computed_path own = computed_of_path(computed, path);
		int64_t longer = longer_ns(computed, &merge->cells[path],
					   own.sampled_ns + own.folded_ns);

		if (longer > 0)
			less += (double)longer;
		else
			more -= (double)longer;
	}
	computed->ready_part = more > less ? less / more : 1;
}

double computed_cpu_ns(const struct computed *computed, struct merge_cell *cell,
		       double sampled_ns)
{
	int64_t ns = cell->raw_self_ns - cell->self_ready_ns - cell->self_blocked_ns;
	int64_t longer = longer_ns(computed, cell, sampled_ns);

	if (longer < 0)
		longer = (int64_t)((double)longer * computed->ready_part);
	quantity_add(&cell->self_ready_ns, -longer);
	quantity_add(&cell->self_ns, -longer);
	return ns + longer > 0 ? (double)(ns + longer) : 0;
}
