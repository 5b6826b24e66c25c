/* SPDX-License-Identifier: MIT */
/*
 * Measures what a pair of hooks costs on this machine, inside and outside of the
 * interval that it measures. Runs on: the constructor of the run's first process; about
 * 0.3 ms. Must not leave a trace in the recording: it works on a lane of its own in
 * private memory.
 *
 * What counts is what a program loses against its plain build. So batches of calls of a
 * function that calls hooks as instrumented code does, and keeps its arguments over them,
 * are held against batches of the same function without. What the node says per call is
 * the inner cost, what is left is the outer. The batch a quarter up
 * from the fastest counts: most of what disturbs makes them longer.
 *
 * Warm: one path. Cold: as many paths in random order as the first level of the cache has
 * no room for, with a branch predictor that has seen none of it. A program is in between.
 *
 * The same of a call that is only counted, where there is a budget.
 */
#include "shim/boot/boot.h"

#include <stdint.h>

#include "common/attributes.h"
#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/spans.h"
#include "shim/lane/tree.h"
#include "shim/patch/stubs.h"
#include "shim/events/events.h"

#define BATCHES 15
#define PAIRS 128
#define PATHS 512u /* of the cold batches; a power of two */
#define COLD_BATCHES 9
#define COLD_ROUNDS 3
#define ALIKE 0.95 /* of the larger one, the less is so much at least */
/* 10 us each: one in nine recordings had 1.7 times the cost of the others with one. */
#define COUNTED_ROUNDS 3
#define FIRST_KEY 0x1000ull
#define KEY_STEP 0x40ull

/* Hooks keep the compiler from more than a loop shows, and the loop has an exit, which is
 * cut out of most programs. It shows 1.9 ns; against their plain builds, less what exact
 * calls take, Lua, bzip2 and cmark lose 1.9, 2.7 and 2.4 for each counted call, from
 * which this is; SQLite 2.4, gawk 2.6, tcc 2.1, lz4 1.2, tiny functions 1.8. */
#define COUNTED_OF_LOOP 1.25

typedef void hook(void *function, void *call_site);

/* Everything the hooks touch, as in a real lane but private. */
struct scratch {
	struct lane_context context;
	struct segment_lane lane;
	struct segment_frame frames[8];
	struct segment_node nodes[PATHS + 2];
	struct segment_function functions[PATHS + 1];
	uint64_t counts[2];
	uint16_t order[PATHS]; /* of the cold batches: paths that the front table has */
	uint32_t order_count;
};

/* What is called in a batch. */
struct hooks {
	hook *volatile enter, *volatile leave;
};

static struct hooks hooks;

/* Paths that would have the same place in the front table are left out. */
static void add_path(struct scratch *scratch, uint32_t path)
{
	uint64_t key = FIRST_KEY + path * KEY_STEP;
	uint32_t node = path + 2;
	uint32_t *front = &scratch->context.front[tree_place(LANE_ROOT, key)];

	if (*front)
		return;
	*front = node;
	scratch->nodes[node].key = key;
	scratch->nodes[node].parent = LANE_ROOT;
	scratch->nodes[node].function = path + 1;
	scratch->order[scratch->order_count++] = (uint16_t)path;
}

static void begin_scratch(struct scratch *scratch)
{
	struct lane_context *context = &scratch->context;

	context->frames = context->top = scratch->frames + 1;
	context->limit = scratch->frames + 8;
	context->stack_size = UINTPTR_MAX;
	context->check_ticks = UINT64_MAX;
	context->span_ticks = SPANS_NEVER;
	context->switch_word = &context->switch_mark;
	context->sample_head = &context->sample_tail;
	context->depth = &scratch->lane.frames.count;
	context->nodes = scratch->nodes;
	context->functions = scratch->functions;
	context->lane = &scratch->lane;
	context->current = LANE_ROOT;
	/* 405 and 1: each number once, in no order that a cache would guess */
	for (uint32_t i = 0, path = 0; i < PATHS; i++) {
		add_path(scratch, path);
		path = (path * 405 + 1) % PATHS;
	}
}

/* The same function twice; what it does takes three registers over both hooks. */
static never_inlined uint64_t call_plain(uint64_t key, uint64_t a, uint64_t b)
{
	__asm__ volatile("" : "+r"(a), "+r"(b));
	return (a ^ b) + key;
}

static never_inlined uint64_t call_hooked(uint64_t key, uint64_t a, uint64_t b)
{
	void *site = __builtin_return_address(0);

	hooks.enter((void *)(uintptr_t)key, site);
	__asm__ volatile("" : "+r"(a), "+r"(b));
	hooks.leave((void *)(uintptr_t)key, site);
	return (a ^ b) + key;
}

typedef uint64_t call(uint64_t key, uint64_t a, uint64_t b);

/* So many calls, on the paths from the first one of the order on, in ticks. */
static uint64_t run_batch(const struct scratch *scratch, call *volatile callee,
			  uint32_t first, uint32_t paths)
{
	uint64_t start = clock_now(), sum = 0;

	for (uint32_t i = 0; i < PAIRS; i++) {
		uint32_t path = scratch->order[first + (paths > 1 ? i : 0)];

		sum = callee(FIRST_KEY + path * KEY_STEP, i, sum);
	}
	__asm__ volatile("" : : "r"(sum));
	return clock_now() - start;
}

static uint64_t total_ticks(const struct scratch *scratch)
{
	uint64_t sum = 0;

	for (uint32_t i = 2; i < PATHS + 2; i++)
		sum += scratch->nodes[i].total_ticks;
	return sum;
}

/* A quarter up from the least; the values are put in order. */
static uint64_t lower_quartile(uint64_t *values, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		uint64_t value = values[i];
		uint32_t at = i;

		for (; at > 0 && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
	return values[count / 4];
}

/* Ticks of a call: all of them more than without hooks, and inside of the interval. */
struct cost {
	double all, inner;
};

static double positive(double value)
{
	return value > 0 ? value : 0;
}

static struct cost measure(struct scratch *scratch, uint32_t batches, uint32_t paths)
{
	uint64_t plain[BATCHES], hooked[BATCHES], inner[BATCHES], before;
	struct cost cost;

	for (uint32_t i = 0; i < batches; i++) {
		uint32_t first =
			paths > 1 ? i * PAIRS % (scratch->order_count - PAIRS) : 0;

		plain[i] = run_batch(scratch, call_plain, first, paths);
		before = total_ticks(scratch);
		hooked[i] = run_batch(scratch, call_hooked, first, paths);
		inner[i] = total_ticks(scratch) - before;
	}
	cost.inner = (double)lower_quartile(inner, batches) / PAIRS;
	cost.all = positive(((double)lower_quartile(hooked, batches) -
			     (double)lower_quartile(plain, batches)) /
			    PAIRS);
	if (cost.all < cost.inner)
		cost.all = cost.inner;
	return cost;
}

/* Whoever had the processor for a moment has left nothing in the caches, in whatever
 * batch that was: the next ones take up to four times as long. So the least of three
 * rounds counts, or of two that are alike. */
static struct cost measure_cold(struct scratch *scratch)
{
	struct cost least = measure(scratch, COLD_BATCHES, PATHS), other;

	for (int i = 1; i < COLD_ROUNDS; i++) {
		double before = least.all;

		other = measure(scratch, COLD_BATCHES, PATHS);
		if (other.all < least.all)
			least = other;
		if (least.all > ALIKE * before && least.all > ALIKE * other.all)
			break;
	}
	return least;
}

static double middle_of_three(const double *values)
{
	double low = values[0] < values[1] ? values[0] : values[1];
	double high = values[0] < values[1] ? values[1] : values[0];

	return values[2] < low ? low : values[2] > high ? high : values[2];
}

static uintptr_t noted_site;

static void note_site(void *function, void *call_site)
{
	(void)function;
	noted_site = (uintptr_t)call_site;
}

/* What a call costs that is only counted: the code that its hooks are led to. No function
 * of the program has number 0. */
static double measure_counted(struct scratch *scratch)
{
	const struct stub_site here = {.at = (uintptr_t)calibrate_hooks,
				       .object = (uintptr_t)calibrate_hooks};
	uintptr_t function = FIRST_KEY + scratch->order[0] * KEY_STEP;
	double costs[COUNTED_ROUNDS];
	const uintptr_t *slot;
	struct stub_entry entry = {.function = function, .has_edges = 1};

	hooks.enter = hooks.leave = note_site;
	measure(scratch, 1, 1);
	hooks.enter = (hook *)stubs_find(&here, STUB_COUNTED, &entry, &slot);
	hooks.leave = (hook *)stubs_find(&here, STUB_EXIT, &entry, &slot);
	if (!hooks.enter || !hooks.leave)
		return 0;
	stubs_tell(entry.place, noted_site, entry.number);
	scratch->context.counts = scratch->counts;
	scratch->context.pulse = INT32_MAX;
	for (uint32_t i = 0; i < COUNTED_ROUNDS; i++)
		costs[i] = measure(scratch, BATCHES, 1).all;
	return COUNTED_OF_LOOP * middle_of_three(costs);
}

static void measure_hooks(struct scratch *scratch, struct segment_run *run)
{
	struct cost warm, mixed;

	hooks.enter = calls_enter;
	hooks.leave = calls_exit;
	/* the first round has the pages made */
	measure(scratch, COLD_BATCHES, PATHS);
	mixed = measure_cold(scratch);
	warm = measure(scratch, BATCHES, 1);
	run->inner_cost_ticks = warm.inner;
	run->outer_cost_ticks = warm.all - warm.inner;
	run->cold_inner_cost_ticks = mixed.inner;
	run->cold_outer_cost_ticks = mixed.all - mixed.inner;
	if (run->overhead_percent > 0)
		run->counted_cost_ticks = measure_counted(scratch);
}

void calibrate_hooks(struct segment_run *run)
{
	struct scratch *scratch = process_map(sizeof(*scratch), 0);
	struct lane_context *own = lane_self;
	uint64_t ticks_now, monotonic_ns;

	if (!scratch)
		return;
	begin_scratch(scratch);
	lane_self = &scratch->context;
	measure_hooks(scratch, run);
	lane_self = own;
	process_unmap(scratch, sizeof(*scratch));
	/* a first estimate of the rate; the reader has later pairs of clocks */
	clock_read_both(&ticks_now, &monotonic_ns);
	if (clock_is_tsc && monotonic_ns > run->start_monotonic_ns)
		run->ticks_per_second = (double)(ticks_now - run->start_ticks) * 1e9 /
					(double)(monotonic_ns - run->start_monotonic_ns);
}
