/* SPDX-License-Identifier: MIT */
/* Coroutines that are left in the middle of functions which are switched meanwhile. */
#include <ucontext.h>

#include "tally.h"

#define ROUTINES 6
#define STACK_BYTES (64 << 10)

enum { STEP, YIELDING, BODY };

static ucontext_t home, routines[ROUTINES];
static int running, rounds[ROUTINES], is_over;
static volatile unsigned int sink;

APART static unsigned int step(unsigned int n)
{
	TALLY(STEP);
	return n + 3;
}

/* Leaves at its deepest. */
APART static void yielding(unsigned int n)
{
	TALLY(YIELDING);
	for (int i = 0; i < 5; i++)
		sink += step(n);
	if (n)
		yielding(n - 1);
	else
		swapcontext(&routines[running], &home);
	sink++;
}

APART static void body(void)
{
	TALLY(BODY);
	while (!is_over)
		yielding((unsigned int)(running % 4));
}

int main(void)
{
	uint64_t end = tally_now_ms() + 200;
	static char stacks[ROUTINES][STACK_BYTES];

	tally_begin();
	for (int i = 0; i < ROUTINES; i++) {
		getcontext(&routines[i]);
		routines[i].uc_stack.ss_sp = stacks[i];
		routines[i].uc_stack.ss_size = STACK_BYTES;
		routines[i].uc_link = &home;
		makecontext(&routines[i], body, 0);
	}
	for (int i = 0; !is_over || i % ROUTINES; i++) {
		running = i % ROUTINES;
		rounds[running]++;
		if (running == 0 && tally_now_ms() >= end)
			is_over = 1;
		swapcontext(&home, &routines[running]);
	}
	TALLY_SAY(step, STEP);
	TALLY_SAY(yielding, YIELDING);
	TALLY_SAY(body, BODY);
	return 0;
}
