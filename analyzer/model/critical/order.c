/* SPDX-License-Identifier: MIT */
/* Finds threads and stalls of a run by time. */
#include "analyzer/model/critical/order.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/xalloc.h"

/* A thread that began this shortly after its maker began to wait may still be its. */
#define MAKER_LATE_NS 2e6

/* Looks at single threads that are allowed: with very many threads looking at all of them
 * would take hours. */
#define LOOKS_MOST 100000000u

struct order {
	const struct walk_run *run;
	uint32_t *first_stall; /* by thread, with one more at the end */
	uint32_t *by_lock;     /* stalls for locks, by lock and end */
	size_t by_lock_count;
	size_t looks_left;
	uint32_t first_lane; /* of the thread that began first */
};

/* Counts a look at all threads. False: there were too many. */
static bool may_look(struct order *order)
{
	if (order->looks_left < order->run->thread_count)
		return false;
	order->looks_left -= order->run->thread_count;
	return true;
}

static int compare_threads(const void *left, const void *right)
{
	const struct walk_thread *a = left, *b = right;

	return ORDER_BY_2(a, b, lane, begin_ns);
}

static int compare_stalls(const void *left, const void *right)
{
	const struct walk_stall *a = left, *b = right;

	return ORDER_BY_2(a, b, thread, begin_ns);
}

static int compare_takers(const void *a, const void *b, void *stalls)
{
	const struct walk_stall *all = stalls;
	const struct walk_stall *left = &all[*(const uint32_t *)a];
	const struct walk_stall *right = &all[*(const uint32_t *)b];

	return ORDER_BY_2(left, right, lock_id, end_ns);
}

uint32_t order_thread_at(const struct order *order, uint32_t lane, double at_ns)
{
	const struct walk_thread *threads = order->run->threads;
	size_t count =
		COUNT_BEFORE(order->run->thread_count, i,
			     threads[i].lane < lane || (threads[i].lane == lane &&
							threads[i].begin_ns <= at_ns));

	return count && threads[count - 1].lane == lane ? (uint32_t)(count - 1)
							: WALK_NONE;
}

uint32_t order_stall_at(const struct order *order, uint32_t thread, double at_ns)
{
	uint32_t first = order->first_stall[thread];
	const struct walk_stall *stalls = &order->run->stalls[first];
	size_t count = COUNT_BEFORE(order->first_stall[thread + 1] - first, i,
				    stalls[i].begin_ns < at_ns);

	return count ? first + (uint32_t)count - 1 : WALK_NONE;
}

uint32_t order_last_taker(const struct order *order, uint32_t stall)
{
	const struct walk_stall *all = order->run->stalls, *of = &all[stall];
	size_t count;

	if (!of->lock_id)
		return WALK_NONE;
	count = COUNT_BEFORE(
		order->by_lock_count, i,
		compare_takers(&order->by_lock[i], &stall, (void *)(uintptr_t)all) < 0);
	for (; count; count--) {
		const struct walk_stall *other = &all[order->by_lock[count - 1]];

		if (other->lock_id != of->lock_id || other->end_ns <= of->begin_ns)
			break;
		if (other->thread != of->thread)
			return order->by_lock[count - 1];
	}
	return WALK_NONE;
}

uint32_t order_last_ended(struct order *order, uint32_t stall)
{
	const struct walk_stall *of = &order->run->stalls[stall];
	uint32_t last = WALK_NONE;
	double last_ns = of->begin_ns;

	if (!may_look(order))
		return WALK_NONE;
	for (uint32_t i = 0; i < order->run->thread_count; i++) {
		double end_ns = order->run->threads[i].end_ns;

		if (i == of->thread || end_ns > of->end_ns || end_ns < last_ns)
			continue;
		last = i;
		last_ns = end_ns;
	}
	return last;
}

/* How long a thread had been waiting at a time. */
static double idle_ns(const struct order *order, uint32_t thread, double at_ns)
{
	uint32_t stall = order_stall_at(order, thread, at_ns);

	if (stall == WALK_NONE || order->run->stalls[stall].end_ns <= at_ns)
		return 0;
	return at_ns - order->run->stalls[stall].begin_ns;
}

/* A thread of the first lane that existed and was at work, or nearly so. */
static uint32_t first_maker(const struct order *order, double at_ns)
{
	uint32_t first = order_thread_at(order, order->first_lane, at_ns);

	return first != WALK_NONE && order->run->threads[first].end_ns >= at_ns &&
			       idle_ns(order, first, at_ns) < MAKER_LATE_NS
		       ? first
		       : WALK_NONE;
}

uint32_t order_maker(struct order *order, uint32_t thread, bool *ret_is_guessed)
{
	const struct walk_run *run = order->run;
	double at_ns = run->threads[thread].begin_ns, least_ns = INFINITY;
	uint32_t best = first_maker(order, at_ns), candidates = 0, others = 0;

	*ret_is_guessed = false;
	if (best != WALK_NONE && best != thread)
		return best;
	best = WALK_NONE;
	if (!may_look(order))
		return WALK_NONE;
	for (uint32_t i = 0; i < run->thread_count; i++) {
		const struct walk_thread *other = &run->threads[i];
		double waited_ns;

		if (i == thread || other->begin_ns > at_ns || other->end_ns < at_ns ||
		    (other->begin_ns == at_ns && i > thread))
			continue;
		waited_ns = idle_ns(order, i, at_ns);
		candidates += waited_ns < MAKER_LATE_NS;
		others++;
		if (waited_ns >= least_ns)
			continue;
		best = i;
		least_ns = waited_ns;
	}
	*ret_is_guessed = others > 1 && candidates != 1;
	return best;
}

/* Assigns each stall to its thread and cuts it to that; stalls of a thread do not
 * overlap. */
static void fit_stalls(struct walk_run *run, const struct order *order)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->stall_count; i++) {
		struct walk_stall *stall = &run->stalls[i];

		stall->thread = order_thread_at(order, stall->lane, stall->begin_ns);
		if (stall->thread == WALK_NONE)
			continue;
		stall->end_ns = fmin(stall->end_ns, run->threads[stall->thread].end_ns);
		if (stall->end_ns > stall->begin_ns)
			run->stalls[kept++] = *stall;
	}
	run->stall_count = kept;
	qsort(run->stalls, kept, sizeof(*run->stalls), compare_stalls);
	kept = 0;
	for (size_t i = 0; i < run->stall_count; i++)
		if (!kept || run->stalls[kept - 1].thread != run->stalls[i].thread ||
		    run->stalls[kept - 1].end_ns <= run->stalls[i].begin_ns)
			run->stalls[kept++] = run->stalls[i];
	run->stall_count = kept;
}

static uint32_t lane_of_first(const struct walk_run *run)
{
	const struct walk_thread *first = run->threads;

	for (size_t i = 1; i < run->thread_count; i++)
		if (run->threads[i].begin_ns < first->begin_ns)
			first = &run->threads[i];
	return run->thread_count ? first->lane : 0;
}

struct order *order_new(struct walk_run *run)
{
	struct order *order = xcalloc(1, sizeof(*order));
	size_t next = 0;

	order->run = run;
	order->looks_left = LOOKS_MOST;
	order->first_lane = lane_of_first(run);
	if (run->thread_count)
		qsort(run->threads, run->thread_count, sizeof(*run->threads),
		      compare_threads);
	if (run->stall_count)
		fit_stalls(run, order);
	order->first_stall = xcalloc(run->thread_count + 1, sizeof(*order->first_stall));
	order->by_lock = xcalloc(run->stall_count + 1, sizeof(*order->by_lock));
	for (uint32_t i = 0; i < run->stall_count; i++) {
		for (; next <= run->stalls[i].thread; next++)
			order->first_stall[next] = i;
		if (run->stalls[i].kind == WALK_LOCK && run->stalls[i].lock_id)
			order->by_lock[order->by_lock_count++] = i;
	}
	for (; next <= run->thread_count; next++)
		order->first_stall[next] = (uint32_t)run->stall_count;
	if (order->by_lock_count)
		qsort_r(order->by_lock, order->by_lock_count, sizeof(*order->by_lock),
			compare_takers, run->stalls);
	return order;
}
