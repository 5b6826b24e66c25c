/* SPDX-License-Identifier: MIT */
/* Places a program's hook cost between the calibration's warm and cold state, and says
 * how uncertain that is. */
#include "collector/merge/hook_cost.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "common/poisson.h"

/* No hook takes this long. A larger number is damaged and counts as 0. */
#define MOST_NS 1e6
/* Standard deviation, as a share, of costs that were only measured when the run began. */
#define UNSEEN_ERROR 0.15
/* The same for a counted call. What nine programs lost to it against their plain builds
 * was 0.77 to 1.10 of the measured cost (deviation 0.12), which itself is 0.08 off. That
 * is one machine and one compiler, so we assume about twice as much. */
#define COUNTED_ERROR 0.3
/* Where real programs lie between the warm (0) and the cold state (1), and the deviation.
 * Hooks that record each call keep their own data near: in 32 recordings of eight
 * programs the overhead against the plain builds says 0.4 (lz4 0.0, tiny functions 0.1,
 * m4 0.2, cmark and Lua 0.4, SQLite 0.6, bzip2 0.7, gawk 0.9). With a budget few calls
 * reach the hooks, and 0.8 fits main() of the plain programs best. */
#define COLDNESS 0.4
#define COLDNESS_OF_FEW 0.8
#define COLDNESS_ERROR 0.4
/* A smaller difference (as a share) means that calibration did not see the cold state:
 * once both were 24.4 ns, and the result claimed to be exact to 3e-15. */
#define COLDER_LEAST 0.1
/* How much of the cost may fall on the wrong side of the interval's ends, as a share; and
 * how much of the program's own work may: an exit hook reads the clock before what was
 * begun last is done, 14 ns for a chain of multiplications. */
#define SPLIT_ERROR 0.05
#define SPLIT_ERROR_NS 5.0
/* The hooks of some paths are nearer to their data than those of others. */
#define PATH_ERROR 0.1
/* The cost of a malloc and its free relates to that of a pair of hooks; the recorder
 * cannot try them without a trace. With 5 million of them, 64 live, they took 10.3 to 11
 * ns more where a pair took 23.5. With several threads: 26.5. */
#define ALLOC_OF_PAIR 0.46
/* That holds for a few blocks, whose data is near. In a loop that frees any of its live
 * blocks (16 to 196 bytes) they take 12 ns more with 64 of them, 15 with 4,096 (0.4 MiB),
 * 43 with 65,536 (7 MiB) and 181 with a million (110 MiB); where the heap only grows, and
 * the pages of that data with it, 55. Programs also reuse what they freed last, which is
 * near. So for each doubling above 1 MiB we add this, give or take all of it. */
#define FAR_ALLOC_NS 7.0
#define FAR_ALLOC_ERROR 0.5
#define NEAR_HEAP_BYTES 1048576.0

static double cost_ns(const struct ticks *ticks, double cost_ticks)
{
	double cost = cost_ticks * ticks->ns_per_tick;

	return cost > 0 && cost < MOST_NS ? cost : 0; /* not NaN either */
}

/* The cost at this coldness. Without a higher cold cost, the warm one. */
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

/* With this many paths, nodes and histograms have left the caches before they are used
 * again. Hooks leave out the time to find a node (shim/events/frame_hooks.h), but not
 * that to write it and its histogram, and how often that is slow is not known. A call of
 * tcc, with 800,000 paths, takes 6 ns more than with few. That is one program: the truth
 * may be 0 to twice that. */
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
 * The possible error of a time, by source. Add up everything that belongs together before
 * you widen it to an interval.
 *
 * Each part is a standard deviation in ns, or the square of one. A wrong hook cost is
 * wrong by the same amount for each call of the run, so such parts add up with their
 * signs: positive where a higher cost means less time. Doubt about which of several paths
 * had a time has opposite signs on these, and cancels out in the total of a path above
 * them. Squares add up. Where one path's time was divided into parts, their squares
 * exceed that of the sum by `shared`, which only totals subtract.
 */

/* Half of a normal distribution's 95 % interval, in standard deviations. */
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

/* The Poisson bound. For few samples it exceeds their root (for 0 it is nearly 4). */
static double sampled_width(double grain, double squares)
{
	double samples = grain > 0 ? squares / (grain * grain) : 0;

	return grain * (poisson_high(samples) - samples);
}

/* variance, samples: which of the error's count here (own time or total). */
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
