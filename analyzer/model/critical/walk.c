/* SPDX-License-Identifier: MIT */
/* Walks from the end of a run back to its start. */
#include "analyzer/model/critical/walk.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/model/critical/order.h"
#include "common/base/xalloc.h"

/* Most windows that are walked: more say no more. */
#define WINDOWS_MOST 1e6

/* The walk's position. */
struct place {
	uint32_t thread;
	double at_ns;
	double floor_ns; /* the walk ends here */
	/* The thread has the lock of this stall back to this time. */
	double held_ns;
	uint32_t held;
};

struct way {
	const struct walk_run *run;
	struct order *order;
	struct walk *walk;
	size_t steps_left;
};

static void put(struct way *way, enum walk_work work, uint32_t thread, uint32_t stall,
		double begin_ns, double end_ns)
{
	struct walk *walk = way->walk;

	if (end_ns <= begin_ns)
		return;
	walk->stretches =
		array_room(walk->stretches, walk->count, sizeof(*walk->stretches));
	walk->stretches[walk->count++] =
		(struct walk_stretch){begin_ns, end_ns, thread, stall, work};
}

/* Adds stretches from this time to the place, but none beyond its floor, and moves
 * there. */
static void put_here(struct way *way, struct place *place, enum walk_work work,
		     uint32_t stall, double begin_ns)
{
	double from_ns = fmax(begin_ns, place->floor_ns);

	put(way, work, place->thread, stall, from_ns, place->at_ns);
	place->at_ns = fmin(place->at_ns, from_ns);
}

/* The thread worked since then, perhaps with the lock for a part of it. */
static void put_work(struct way *way, struct place *place, double begin_ns)
{
	if (place->held != WALK_NONE && place->held_ns < place->at_ns)
		put_here(way, place, WALK_HELD, place->held,
			 fmax(begin_ns, place->held_ns));
	put_here(way, place, WALK_OWN, WALK_NONE, begin_ns);
}

/* When a thread that ended somebody's wait was last at work by the time the waiter was
 * woken: it may have ended or waited itself since. */
static double before_its_next(const struct way *way, uint32_t thread, double at_ns)
{
	uint32_t stall;

	at_ns = fmin(at_ns, way->run->threads[thread].end_ns);
	stall = order_stall_at(way->order, thread, at_ns);
	if (stall != WALK_NONE && way->run->stalls[stall].end_ns > at_ns)
		at_ns = way->run->stalls[stall].begin_ns;
	return at_ns;
}

/* At the end of a join, the thread that ended: its lane may have another thread by then,
 * or none yet at the start of the wait. */
static uint32_t joined_of(const struct way *way, uint32_t number)
{
	const struct walk_stall *stall = &way->run->stalls[number];
	uint32_t thread;

	if (stall->holder_lane == WALK_NONE)
		return order_last_ended(way->order, number);
	thread = order_thread_at(way->order, stall->holder_lane, stall->begin_ns);
	if (thread == WALK_NONE || way->run->threads[thread].end_ns < stall->begin_ns)
		thread = order_thread_at(way->order, stall->holder_lane, stall->end_ns);
	return thread;
}

/* For a lock, the last holder: others may have had the lock since the wait began. */
static uint32_t holder_of(const struct way *way, uint32_t number, double *ret_since_ns)
{
	const struct walk_stall *stall = &way->run->stalls[number];
	uint32_t taker = WALK_NONE;

	*ret_since_ns = stall->begin_ns;
	if (stall->kind == WALK_JOIN)
		return joined_of(way, number);
	if (stall->kind == WALK_LOCK)
		taker = order_last_taker(way->order, number);
	if (taker != WALK_NONE) {
		*ret_since_ns = way->run->stalls[taker].end_ns;
		return way->run->stalls[taker].thread;
	}
	if (stall->holder_lane == WALK_NONE)
		return WALK_NONE;
	return order_thread_at(way->order, stall->holder_lane, stall->end_ns);
}

/* At the end of a wait, goes on to the thread that ended it. False: not known. */
static bool follow(struct way *way, struct place *place, uint32_t number)
{
	const struct walk_stall *stall = &way->run->stalls[number];
	double since_ns, at_ns;
	uint32_t thread = holder_of(way, number, &since_ns);

	if (thread == WALK_NONE || thread == place->thread)
		return false;
	at_ns = before_its_next(way, thread, place->at_ns);
	if (at_ns < stall->begin_ns)
		return false; /* it was waiting or gone for the whole wait */
	put_here(way, place, WALK_WOKEN, number, at_ns);
	place->thread = thread;
	place->held = stall->kind == WALK_LOCK ? number : WALK_NONE;
	place->held_ns = since_ns;
	return true;
}

/* At the thread's start, goes on to its maker. False: there is none. */
static bool leave_thread(struct way *way, struct place *place)
{
	bool is_guessed = false;
	double at_ns;
	uint32_t maker = order_maker(way->order, place->thread, &is_guessed);

	if (maker == WALK_NONE)
		return false;
	way->walk->guessed_count += is_guessed;
	at_ns = before_its_next(way, maker, place->at_ns);
	put_here(way, place, WALK_BEGUN, WALK_NONE, at_ns);
	place->thread = maker;
	place->held = WALK_NONE;
	return true;
}

/* Takes one step back. False: the walk is at its end. */
static bool step(struct way *way, struct place *place)
{
	const struct walk_thread *thread = &way->run->threads[place->thread];
	uint32_t number = order_stall_at(way->order, place->thread, place->at_ns);
	double begin_ns = thread->begin_ns;

	if (number != WALK_NONE && way->run->stalls[number].end_ns >= place->at_ns) {
		if (!follow(way, place, number)) {
			const struct walk_stall *stall = &way->run->stalls[number];

			put_here(way, place, WALK_WAITED, number, stall->begin_ns);
			/* it may sleep while it holds a lock */
			if (stall->kind != WALK_NAP)
				place->held = WALK_NONE;
		}
		return true;
	}
	if (number != WALK_NONE) {
		const struct walk_stall *last = &way->run->stalls[number];

		begin_ns = fmax(begin_ns, last->end_ns);
		/* it got the lock when its wait for it ended */
		if (place->held != WALK_NONE && last->kind == WALK_LOCK &&
		    last->lock_id == way->run->stalls[place->held].lock_id)
			place->held_ns = fmin(place->held_ns, last->end_ns);
	}
	put_work(way, place, begin_ns);
	return place->at_ns > thread->begin_ns || leave_thread(way, place);
}

static void go(struct way *way, struct place *place)
{
	while (place->at_ns > place->floor_ns && way->steps_left) {
		way->steps_left--;
		if (!step(way, place))
			break;
	}
	put(way, WALK_BEFORE, WALK_NONE, WALK_NONE, place->floor_ns, place->at_ns);
}

/* Enters a stall in its middle, where nobody has ended it yet: goes on to the thread that
 * will. */
static void enter(struct way *way, struct place *place)
{
	for (size_t i = 0; i <= way->run->thread_count; i++) {
		uint32_t number = order_stall_at(way->order, place->thread, place->at_ns);
		uint32_t thread;
		double since_ns;

		if (number == WALK_NONE ||
		    way->run->stalls[number].end_ns <= place->at_ns)
			return;
		thread = holder_of(way, number, &since_ns);
		if (thread == WALK_NONE ||
		    way->run->threads[thread].begin_ns > place->at_ns)
			return;
		place->thread = thread;
	}
}

static void walk_windows(struct way *way, struct place *place, double period_ns)
{
	const struct walk_windows *windows = &way->run->windows;
	double last = floor((place->at_ns - windows->first_ns) / period_ns);

	for (; last >= 0; last--) {
		double begin_ns = windows->first_ns + last * period_ns;

		place->at_ns = fmin(way->run->end_ns, begin_ns + windows->length_ns);
		place->floor_ns = fmax(begin_ns, way->run->begin_ns);
		if (place->at_ns <= place->floor_ns)
			continue;
		place->held = WALK_NONE;
		enter(way, place);
		way->walk->window_count++;
		go(way, place);
	}
}

/* The distance of the windows to walk, perhaps several periods; 0: no usable windows. */
static double period_of(const struct walk_run *run)
{
	const struct walk_windows *windows = &run->windows;
	double all_ns = run->end_ns - windows->first_ns, count;

	if (!(windows->length_ns > 0) || !(windows->period_ns >= windows->length_ns) ||
	    !(all_ns >= 0) || !isfinite(all_ns) || !isfinite(windows->period_ns))
		return 0;
	count = all_ns / windows->period_ns;
	return windows->period_ns * fmax(1, ceil(count / WINDOWS_MOST));
}

void walk_find(struct walk_run *run, struct walk *ret)
{
	struct order *order = order_new(run);
	struct way way = {.run = run, .order = order, .walk = ret};
	struct place place = {
		.at_ns = run->end_ns, .floor_ns = run->begin_ns, .held = WALK_NONE};

	double period_ns = period_of(run);

	*ret = (struct walk){.count = 0};
	*ret = (struct walk){.count = 0};
	/* Each stall is met at most twice from each end, and window ends are steps, too.
	 * Times that do not fit together may need more. */
	way.steps_left =
		8 * (run->stall_count + run->thread_count + (size_t)WINDOWS_MOST);
	place.thread = order_thread_at(order, run->last_lane, run->end_ns);
	if (place.thread == WALK_NONE)
		put(&way, WALK_BEFORE, WALK_NONE, WALK_NONE, run->begin_ns, run->end_ns);
	else if (period_ns > 0)
		walk_windows(&way, &place, period_ns);
	else
		go(&way, &place);
}
