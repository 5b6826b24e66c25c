/* SPDX-License-Identifier: MIT */
/*
 * A function that moves its stack pointer, in which windows end: its end is known all the
 * same, and no frame is left for others to close.
 */
#include <alloca.h>
#include <string.h>

#include "tally.h"

enum { MOVING, LEAF, CALLER };

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

APART static void caller(unsigned int n)
{
	TALLY(CALLER);
	sink += moving(n % 9) + leaf(n);
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
	return 0;
}
