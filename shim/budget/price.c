/* SPDX-License-Identifier: MIT */
/*
 * The least counts, as it does of hooks: any may be interrupted, or have memory to map.
 * It rises slowly when others take longer. (The mean was tried, with no bound: a price
 * that was too high at the start stayed so, for hardly a function was taken that could
 * have told better, and of 30,000 that had 4,800 calls each next to none was counted.)
 */
#include "shim/budget/price.h"

#include "shim/core/clock.h"

/* Looks at a busy function are some hundred calls apart, so that what is paid is noticed
 * late. (Of 30,000 functions, 400 calls of each: with the whole price a run of three
 * rounds took longer than with none, with half of it a run of one as long.) */
#define PART 0.65
#define MOST_TICKS (clock_tenth_of_second() >> 12) /* 24 us */

static uint64_t least_ticks; /* 0: unknown; atomic */

int price_is_paid(double hook_ticks)
{
	return hook_ticks >=
	       PART * (double)__atomic_load_n(&least_ticks, __ATOMIC_RELAXED);
}

void price_note(uint64_t ticks)
{
	uint64_t least = __atomic_load_n(&least_ticks, __ATOMIC_RELAXED);

	least += least / 16;
	if (!least || least > MOST_TICKS)
		least = MOST_TICKS;
	__atomic_store_n(&least_ticks, ticks < least ? ticks : least, __ATOMIC_RELAXED);
}
