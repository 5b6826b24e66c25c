/* SPDX-License-Identifier: MIT */
/*
 * Functions that move their stack pointer, in which windows end: their end is known all
 * the same, and no frame is left for others to close.
 */
#include <alloca.h>
#include <string.h>

#include "tally.h"

enum { MOVING, LEAF, CALLER, PUSHING, MANY };

static volatile unsigned int sink;

APART static unsigned int leaf(unsigned int n)
{
	TALLY(LEAF);
	return n * 7;
}

APART static unsigned int moving(unsigned int n)
{
	char *room = alloca(16 + n * 16);

	TALLY(MOVING);
	memset(room, (int)n, 16 + n * 16);
	for (unsigned int i = 0; i < 20; i++)
		sink += leaf(i);
	return (unsigned char)room[n / 2];
}

APART static unsigned int many(unsigned int a, unsigned int b, unsigned int c,
			       unsigned int d, unsigned int e, unsigned int f,
			       unsigned int g, unsigned int h)
{
	TALLY(MANY);
	for (unsigned int i = 0; i < 20; i++)
		sink += leaf(i);
	return a + b + c + d + e + f + g + h;
}

/* gcc takes what it pushed for the call off the stack when the hook has been called. It
 * calls itself, too, from the place that it has frames from. */
APART static unsigned int pushing(unsigned int n)
{
	TALLY(PUSHING);
	if (n > 1)
		sink += pushing(n - 1);
	return many(n, 1, 2, 3, 4, 5, 6, 7);
}

APART static void caller(unsigned int n)
{
	TALLY(CALLER);
	sink += moving(n % 9) + pushing(n % 4) + leaf(n);
}

int main(void)
{
	uint64_t end = tally_now_ms() + 200;

	tally_begin();
	for (unsigned int i = 0; i % 100 || tally_now_ms() < end; i++)
		caller(i);
	TALLY_SAY(leaf, LEAF);
	TALLY_SAY(moving, MOVING);
	TALLY_SAY(caller, CALLER);
	TALLY_SAY(pushing, PUSHING);
	TALLY_SAY(many, MANY);
	return 0;
}
