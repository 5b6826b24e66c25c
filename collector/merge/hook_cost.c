/* SPDX-License-Identifier: MIT */
/* Between the warm and the cold state of the calibration, with what is not known. */
#include "collector/merge/hook_cost.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "common/poisson.h"

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
/* Of a malloc and its free only what they cost in relation to a pair of hooks is known:
 * the recorder cannot try them without a trace. With 5 million of them, 64 live, they
 * took 10.3 to 11 ns more where a pair took 23.5; with several threads 26.5, which is not
 * known here. */
#define ALLOC_OF_PAIR 0.46
/* That is with a few blocks, whose data is near. In a loop that frees any of its live
 * blocks (16 to 196 bytes) they take 12 ns more with 64 of them, 15 with 4,096 (0.4 MiB),
 * 43 with 65,536 (7 MiB) and 181 with a million (110 MiB); where the heap only grows, and
 * the pages of that data with it, 55. Programs take again what they freed last, too,
 * which is near: so many ns for each doubling above a MiB, or none, or twice as many. */
#define FAR_ALLOC_NS 7.0
#define FAR_ALLOC_ERROR 0.5
#define NEAR_HEAP_BYTES 1048576.0

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
	double alloc = ALLOC_OF_PAIR * (inner + outer);
	double cold_alloc = ALLOC_OF_PAIR * (cold_inner + cold_outer);
	double coldness = page->overhead_percent > 0 ? COLDNESS_OF_FEW : COLDNESS;

	*ret = (struct hook_cost){.inner_ns = between(inner, cold_inner, coldness),
				  .outer_ns = between(outer, cold_outer, coldness),
				  .alloc_ns = between(alloc, cold_alloc, coldness),
				  .alloc_error_ns = error_between(alloc, cold_alloc),
				  .split_error = SPLIT_ERROR,
				  .path_error = PATH_ERROR};
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
 * The time to find a node is left out (shim/events/frame_hooks.h), that to write it and
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

/*
 * What may be wrong with a time, by where it comes from. Must not be widened to an
 * interval before all that belongs together is added up.
 *
 * Each part is a standard deviation in ns, or the square of one. What a hook costs, for
 * instance, is wrong by the same amount for each call of the run, so such parts of
 * several times add up, with their signs: positive where the time is less when the cost
 * is more. Which of several paths had a time has opposite signs on these, and no part in
 * the total of a path above them. Squares add up. Of parts into which one path's time was
 * divided these are larger than that of their sum: by `shared`, which counts in totals
 * only.
 */

/* Of a normal distribution, in standard deviations. */
#define HALF_WIDTH_95 1.96

void time_error_add(struct time_error *to, const struct time_error *more)
{
	to->hooks += more->hooks;
	to->split += more->split;
	to->allocs += more->allocs;
	to->counted += more->counted;
	to->placed += more->placed;
	to->grain = fmaxf(to->grain, more->grain);
	to->variance += more->variance;
	to->samples += more->samples;
	to->shared += more->shared;
}

void time_error_doubt(struct time_error *one, struct time_error *other, double most_ns)
{
	double variance = most_ns / HALF_WIDTH_95 * (most_ns / HALF_WIDTH_95);

	one->variance += variance;
	other->shared += variance;
}

static double square(float value)
{
	return (double)value * (double)value;
}

/* Few samples are wrong by more than their root, none by nearly four. */
static double sampled_width(double grain, double squares)
{
	double samples = grain > 0 ? squares / (grain * grain) : 0;

	return grain * (poisson_high(samples) - samples);
}

/* variance, samples: those of the error that count. */
static int64_t half_width(const struct time_error *error, double variance, double samples,
			  int64_t time_ns, int64_t most_ns)
{
	double sum = square(error->hooks) + square(error->split) + square(error->allocs) +
		     square(error->counted) + square(error->placed) + variance;
	double width = hypot(HALF_WIDTH_95 * sqrt(sum),
			     sampled_width((double)error->grain, samples));
	int64_t most = most_ns - time_ns > time_ns ? most_ns - time_ns : time_ns;

	if (!(width < (double)most)) /* NaN, too */
		return most;
	return (int64_t)ceil(width);
}

int64_t time_error_half_width(const struct time_error *error, int64_t time_ns,
			      int64_t most_ns)
{
	return half_width(error, error->variance, error->samples, time_ns, most_ns);
}

int64_t time_error_total_half_width(const struct time_error *error, int64_t time_ns,
				    int64_t most_ns)
{
	double samples = fmax(error->samples - error->shared, 0);
	double both = fmax(error->variance + error->samples - error->shared, 0);

	return half_width(error, both - samples, samples, time_ns, most_ns);
}
