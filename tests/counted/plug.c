/* SPDX-License-Identifier: MIT */
/* A library that is loaded again and again; -DNAME=... makes others of it. */
#include <stdint.h>

#define TALLY(number) __atomic_fetch_add(&tallies[number], 1, __ATOMIC_RELAXED)

static uint64_t *tallies;
static volatile unsigned int sink;

static __attribute__((noinline)) unsigned int inner(unsigned int n)
{
	TALLY(0);
	return n * 3 + NUMBER;
}

#if NUMBER == 2
/* so that functions do not lie where those of the other are */
static __attribute__((noinline)) unsigned int another(unsigned int n)
{
	TALLY(2);
	return n + inner(n);
}
#endif

static __attribute__((noinline)) unsigned int outer(unsigned int n)
{
	TALLY(1);
#if NUMBER == 2
	sink += another(n);
#endif
	return inner(n) + inner(n + 1);
}

/* What a program calls; gives the addresses of what counts in the tallies. */
void run(uint64_t *where, unsigned int rounds, void **addresses)
{
	tallies = where;
	TALLY(3);
	addresses[3] = (void *)run;
	addresses[0] = (void *)inner;
	addresses[1] = (void *)outer;
#if NUMBER == 2
	addresses[2] = (void *)another;
#endif
	for (unsigned int i = 0; i < rounds; i++)
		sink += outer(i);
}
