/* SPDX-License-Identifier: MIT */
/*
 * Measures what a pair of hooks costs on this machine, inside and outside of the
 * interval that it measures. Runs on: the constructor of the run's first process; about
 * 0.1 ms. Must not leave a trace in the recording: it works on a lane of its own in
 * private memory.
 *
 * Batches of hook pairs around nothing. What the node says per call is the inner cost,
 * what a pair takes by the clock less the inner cost is the outer. The smallest batch
 * counts: everything that disturbs a batch makes it longer.
 */
#include "shim/boot/calibrate.h"

#include <stdint.h>

#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/tree.h"
#include "shim/patch/stubs.h"
#include "shim/record/calls.h"

#define BATCHES 24
#define PAIRS 128

/* Everything the hooks touch, as in a real lane but private. */
struct scratch {
	struct lane_context context;
	struct segment_lane lane;
	struct segment_frame frames[8];
	struct segment_node nodes[4];
	struct segment_function functions[2];
	uint64_t counts[2];
};

static void begin_scratch(struct scratch *scratch)
{
	struct lane_context *context = &scratch->context;
	uint64_t key = 0x1000;

	context->frames = context->top = scratch->frames + 1;
	context->limit = scratch->frames + 8;
	context->stack_size = UINTPTR_MAX;
	context->check_ticks = UINT64_MAX;
	context->depth = &scratch->lane.frames.count;
	context->nodes = scratch->nodes;
	context->functions = scratch->functions;
	context->lane = &scratch->lane;
	context->current = LANE_ROOT;
	scratch->nodes[2].key = key;
	scratch->nodes[2].parent = LANE_ROOT;
	scratch->nodes[2].function = 1;
	context->front[tree_hash(LANE_ROOT, key) >> 20] = 2;
}

static uint64_t run_batch(void (*volatile enter)(void *, void *),
			  void (*volatile leave)(void *, void *))
{
	uint64_t start = clock_now();

	for (int i = 0; i < PAIRS; i++) {
		enter((void *)0x1000, (void *)0x2000);
		leave((void *)0x1000, (void *)0x2000);
	}
	return clock_now() - start;
}

/* What a call costs that is only counted: the code that its hooks are led to. */
static uint64_t count_batch(struct scratch *scratch)
{
	uintptr_t here = (uintptr_t)calibrate_hooks;
	const uintptr_t *slot;
	void (*enter)(void *, void *) =
		(void (*)(void *, void *))stubs_find(here, here, STUB_WINDOWS, 1, &slot);
	void (*leave)(void *, void *) =
		(void (*)(void *, void *))stubs_find(here, here, STUB_EXIT, 0, &slot);
	uint64_t best = UINT64_MAX;

	if (!enter || !leave)
		return 0;
	scratch->context.counts = scratch->counts;
	scratch->context.pulse = INT32_MAX;
	for (int i = 0; i < BATCHES; i++) {
		uint64_t ticks = run_batch(enter, leave);

		if (ticks < best)
			best = ticks;
	}
	return best;
}

void calibrate_hooks(struct segment_run *run)
{
	struct scratch *scratch = process_map(sizeof(*scratch), 0);
	struct lane_context *own = lane_self;
	uint64_t best = UINT64_MAX, best_inner = 0, ticks_now, monotonic_ns;

	if (!scratch)
		return;
	begin_scratch(scratch);
	lane_self = &scratch->context;
	for (int i = 0; i < BATCHES; i++) {
		uint64_t inner = scratch->nodes[2].total_ticks;
		uint64_t ticks = run_batch(calls_enter, calls_exit);

		if (ticks < best) {
			best = ticks;
			best_inner = scratch->nodes[2].total_ticks - inner;
		}
	}
	if (run->overhead_percent > 0)
		run->counted_cost_ticks = (double)count_batch(scratch) / PAIRS;
	lane_self = own;
	process_unmap(scratch, sizeof(*scratch));
	run->inner_cost_ticks = (double)best_inner / PAIRS;
	run->outer_cost_ticks = (double)best / PAIRS - run->inner_cost_ticks;
	/* a first estimate of the rate; the reader has later pairs of clocks */
	clock_read_both(&ticks_now, &monotonic_ns);
	if (clock_is_tsc && monotonic_ns > run->start_monotonic_ns)
		run->ticks_per_second = (double)(ticks_now - run->start_ticks) * 1e9 /
					(double)(monotonic_ns - run->start_monotonic_ns);
}
