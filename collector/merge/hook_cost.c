/* SPDX-License-Identifier: MIT */
/* The cost of hooks, robustly. Must not let one preempted window decide. */
#include "collector/merge/hook_cost.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/xalloc.h"

/* No hook takes so long; a damaged number costs nothing. */
#define MOST_NS 1e6
/* Of the costs that were only measured when the run began, the standard deviation. */
#define UNSEEN_ERROR 0.15
/* Of a counted call, likewise. What nine programs lose with it against their plain builds
 * was 0.77 to 1.10 of what was measured (deviation 0.12), which itself is 0.08 off. That
 * is one machine and one compiler: twice as much. */
#define COUNTED_ERROR 0.3
/* Where real programs are between the warm and the cold state, and how far from there.
 * When each call is recorded hooks keep their own data near: what eight programs took
 * more than their plain builds, in 32 recordings, says 0.4 (lz4 0.0, tiny functions 0.1,
 * m4 0.2, cmark and Lua 0.4, SQLite 0.6, bzip2 0.7, gawk 0.9). With a budget few calls
 * come to the hooks, and main() is nearest to the plain programs' with 0.8. */
#define COLDNESS 0.4
#define COLDNESS_OF_FEW 0.8
#define COLDNESS_ERROR 0.4
/* By less than this the cold state was not seen: once both were 24.4 ns, and that was
 * said to be exact to 3e-15. */
#define COLDER_LEAST 0.1
/* How much of the cost may lie on the other side of the interval's ends, a part; and what
 * of the program's own: an exit reads the clock before what was begun last is done, 14 ns
 * of a chain of multiplications. */
#define SPLIT_ERROR 0.05
#define SPLIT_ERROR_NS 5.0
/* One path's hooks are nearer to their data than another's. */
#define PATH_ERROR 0.1
/* In windows an exit is told from others before its clock is read. */
#define WINDOW_INNER 0.4 /* of what is inside as ever */
#define WINDOW_INNER_UNSEEN 0.25
#define WINDOW_INNER_ERROR 0.1 /* of what was measured */
/* Malloc and free are calibrated with a few blocks, whose data is near. In a loop that
 * frees any of its live blocks (16 to 196 bytes) they take 12 ns more with 64 of them, 15
 * with 4,096 (0.4 MiB), 43 with 65,536 (7 MiB) and 181 with a million (110 MiB); where
 * the heap only grows, and the pages of that data with it, 55. Programs take again what
 * they freed last, too, which is near: so many ns for each doubling above a MiB, or none,
 * or twice as many. */
#define FAR_ALLOC_NS 7.0
#define FAR_ALLOC_ERROR 0.5
#define NEAR_HEAP_BYTES 1048576.0
/* Of the differences in order, left out at either end: preempted windows are there. */
#define TRIMMED 0.1

static double cost_ns(const struct ticks *ticks, double cost_ticks)
{
	double cost = cost_ticks * ticks->ns_per_tick;

	return cost > 0 && cost < MOST_NS ? cost : 0; /* not NaN either */
}

/* Between warm and cold, when both are known. */
static double between(double warm_ns, double cold_ns, double coldness)
{
	return cold_ns > warm_ns ? warm_ns + coldness * (cold_ns - warm_ns) : warm_ns;
}

static double error_between(double warm_ns, double cold_ns)
{
	return cold_ns - warm_ns > COLDER_LEAST * warm_ns
		       ? COLDNESS_ERROR * (cold_ns - warm_ns)
		       : UNSEEN_ERROR * warm_ns;
}

void hook_cost_calibrated(struct hook_cost *ret, const struct segment_run *page,
			  const struct ticks *ticks)
{
	double inner = cost_ns(ticks, page->inner_cost_ticks);
	double outer = cost_ns(ticks, page->outer_cost_ticks);
	double cold_inner = cost_ns(ticks, page->cold_inner_cost_ticks);
	double cold_outer = cost_ns(ticks, page->cold_outer_cost_ticks);
	double alloc = cost_ns(ticks, page->alloc_cost_ticks);
	double cold_alloc = cost_ns(ticks, page->cold_alloc_cost_ticks);
	double coldness = page->overhead_percent > 0 ? COLDNESS_OF_FEW : COLDNESS;

	*ret = (struct hook_cost){.inner_ns = between(inner, cold_inner, coldness),
				  .outer_ns = between(outer, cold_outer, coldness),
				  .alloc_ns = between(alloc, cold_alloc, coldness),
				  .alloc_error_ns = error_between(alloc, cold_alloc),
				  .split_error = SPLIT_ERROR,
				  .path_error = PATH_ERROR};
	ret->window_inner_ns = WINDOW_INNER * ret->inner_ns;
	ret->window_inner_error_ns = WINDOW_INNER_UNSEEN * ret->inner_ns;
	ret->hook_error_ns = error_between(inner + outer, cold_inner + cold_outer);
	ret->split = 0.5;
	if (ret->inner_ns + ret->outer_ns > 0) {
		ret->split = ret->inner_ns / (ret->inner_ns + ret->outer_ns);
		ret->split_error = hypot(
			SPLIT_ERROR, SPLIT_ERROR_NS / (ret->inner_ns + ret->outer_ns));
	}
	ret->counted_ns = cost_ns(ticks, page->counted_cost_ticks);
	ret->counted_error_ns = COUNTED_ERROR * ret->counted_ns;
}

/* Nodes and histograms of so many paths have left the caches when they are come to again.
 * The time to find a node is left out (shim/record/frame_hooks.h), that to write it and
 * the histogram is not, and how often it takes long is not known: a call of tcc, with
 * 800,000 paths, takes 6 ns more than with fewer. That is one program: it may be none, or
 * twice as much. */
#define NEAR_PATHS 65536.0
#define FAR_NS 6.0
#define FAR_ERROR_NS 6.0

void hook_cost_of_paths(struct hook_cost *cost, size_t path_count)
{
	double far = 1 - NEAR_PATHS / (double)path_count;

	if ((double)path_count <= NEAR_PATHS || !(cost->hook_error_ns > 0))
		return;
	cost->inner_ns += cost->split * far * FAR_NS;
	cost->outer_ns += (1 - cost->split) * far * FAR_NS;
	cost->hook_error_ns = hypot(cost->hook_error_ns, far * FAR_ERROR_NS);
}

void hook_cost_heap(struct hook_cost *cost, uint64_t peak_bytes)
{
	double far_ns = FAR_ALLOC_NS * log2(1 + (double)peak_bytes / NEAR_HEAP_BYTES);

	if (!(cost->alloc_ns > 0))
		return;
	cost->alloc_ns += far_ns;
	cost->alloc_error_ns = hypot(cost->alloc_error_ns, FAR_ALLOC_ERROR * far_ns);
}

/* Ticks that an exactly recorded call takes more than a counted one. */
static int difference(const struct segment_pair *pair, double *ret)
{
	if (!pair->window_call_count || !pair->between_call_count)
		return 0;
	*ret = (double)pair->window_ticks / (double)pair->window_call_count -
	       (double)pair->between_ticks / (double)pair->between_call_count;
	return 1;
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return left < right ? -1 : left > right;
}

/* Mean of the middle, and its standard error (Tukey and McLaughlin: of the values with
 * what was left out moved to the ends of the middle). */
static double trimmed_mean(const double *values, size_t count, double *ret_error)
{
	size_t cut = (size_t)(TRIMMED * (double)count), left = count - 2 * cut;
	double sum = 0, squares = 0, mean, all_mean, all;

	for (size_t i = cut; i < count - cut; i++)
		sum += values[i];
	mean = sum / (double)left;
	all = sum + (double)cut * (values[cut] + values[count - cut - 1]);
	all_mean = all / (double)count;
	for (size_t i = 0; i < count; i++) {
		size_t at = i < cut ? cut : i >= count - cut ? count - cut - 1 : i;

		squares += (values[at] - all_mean) * (values[at] - all_mean);
	}
	*ret_error = sqrt(squares / (double)(count - 1)) /
		     ((1 - 2 * TRIMMED) * sqrt((double)count));
	return mean;
}

/* extra_ns: by which a call in a window takes longer than one that is only counted. */
static void put_measured(struct hook_cost *cost, double extra_ns, double error_ns,
			 size_t count)
{
	double sum = extra_ns + cost->counted_ns,
	       others = cost->inner_ns + cost->outer_ns;

	if (!(sum > 0 && sum < MOST_NS && error_ns < MOST_NS))
		return; /* the windows show no cost at all: nothing is known from them */
	cost->window_ns = sum > others ? sum - others : 0;
	cost->window_error_ns = hypot(error_ns, cost->counted_error_ns);
	cost->pair_count = count;
}

/* Of the stretches, which of the fastest is looked at: some may have been misread. Not a
 * later one: in lz4 every twentieth is fast (1.9 ns), all others take 2.8. */
#define FASTEST 0.02
/* Stretches with fewer calls are too short for their clocks. */
#define STRETCH_CALLS_LEAST 512u
/* What counting may be at most of the fastest calls, and how far from that it is. */
#define COUNTED_PART 0.8
#define COUNTED_PART_ERROR 0.2

/* A counted call, with all it does for the program, cannot take less than its counting.
 * Where the compiler put small functions into loops, or the processor does two things at
 * one time, counting takes less than the calibration shows: 1.5 ns in lz4 and 1.8 in a
 * program of tiny functions, where it shows 2.8. */
static void bound_counted(struct hook_cost *cost, const struct ticks *ticks,
			  const struct segment_pair *pairs, size_t count, double *values)
{
	size_t used = 0;
	double most;

	for (size_t i = 0; i < count; i++) {
		if (pairs[i].between_call_count >= STRETCH_CALLS_LEAST)
			values[used++] = (double)pairs[i].between_ticks /
					 (double)pairs[i].between_call_count;
	}
	if (used < HOOK_COST_PAIRS_LEAST)
		return;
	qsort(values, used, sizeof(*values), by_value);
	most = COUNTED_PART * ticks->ns_per_tick *
	       values[(size_t)(FASTEST * (double)used)];
	if (!(most > 0 && most < cost->counted_ns))
		return;
	cost->counted_ns = most;
	cost->counted_error_ns = COUNTED_PART_ERROR / COUNTED_PART * most;
}

void hook_cost_measure(struct hook_cost *cost, const struct ticks *ticks,
		       const struct segment_pair *pairs, size_t count)
{
	double *values, mean, error;
	size_t used = 0;

	if (count > HOOK_COST_PAIRS_MOST)
		count = HOOK_COST_PAIRS_MOST;
	values = xcalloc(count, sizeof(*values));
	bound_counted(cost, ticks, pairs, count, values);
	for (size_t i = 0; i < count; i++)
		used += (size_t)difference(&pairs[i], &values[used]);
	if (used >= HOOK_COST_PAIRS_LEAST) {
		qsort(values, used, sizeof(*values), by_value);
		mean = trimmed_mean(values, used, &error);
		put_measured(cost, mean * ticks->ns_per_tick, error * ticks->ns_per_tick,
			     used);
	}
	free(values);
}

void hook_cost_measure_inner(struct hook_cost *cost, double *longer_ns, size_t count)
{
	double median, half;

	if (count < HOOK_COST_FUNCTIONS_LEAST)
		return;
	qsort(longer_ns, count, sizeof(*longer_ns), by_value);
	median = longer_ns[count / 2];
	/* of a normal distribution the middle half is 1.35 standard deviations wide, and
	 * the median's error 1.25 times the mean's */
	half = (longer_ns[count * 3 / 4] - longer_ns[count / 4]) / 1.35;
	if (!(median < MOST_NS && half < MOST_NS))
		return;
	cost->window_inner_ns = median > 0 ? median : 0;
	cost->window_inner_error_ns = hypot(1.25 * half / sqrt((double)count),
					    WINDOW_INNER_ERROR * cost->window_inner_ns);
}
