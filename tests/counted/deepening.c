/* SPDX-License-Identifier: MIT */
/* Functions that are open when they are switched, and all the ways out of one. */
#include <alloca.h>
#include <setjmp.h>
#include <string.h>

#include "tally.h"

enum {
	FIBONACCI,
	EVEN,
	ODD,
	ROOMY,
	EXITS,
	TAIL,
	TAILED,
	INLINED,
	JUMPER,
	SHARED_ONE,
	SHARED_TWO,
	CHOOSE,
	BACK,
	LEAF
};

APART static unsigned int leaf(unsigned int n)
{
	TALLY(LEAF);
	return n * 7 + 1;
}

APART static unsigned int fibonacci(unsigned int n)
{
	TALLY(FIBONACCI);
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

APART static int odd(unsigned int n);

APART static int even(unsigned int n)
{
	TALLY(EVEN);
	return n == 0 ? 1 : odd(n - 1);
}

APART static int odd(unsigned int n)
{
	TALLY(ODD);
	return n == 0 ? 0 : even(n - 1);
}

/* Its stack pointer at the end is not that of its beginning. */
APART static unsigned int roomy(unsigned int n)
{
	char *room = alloca(16 + n * 16);

	TALLY(ROOMY);
	memset(room, (int)n, 16 + n * 16);
	if (n)
		room[n] = (char)roomy(n - 1);
	return (unsigned char)room[n / 2] + leaf(n);
}

APART static unsigned int exits(unsigned int n)
{
	TALLY(EXITS);
	if (n % 5 == 0)
		return leaf(n);
	if (n % 3 == 0)
		return 7;
	if (n % 2)
		return leaf(n) + 1;
	return n;
}

static volatile unsigned int sink;

APART static void tailed(unsigned int n)
{
	TALLY(TAILED);
	sink += n;
}

/* Recursion that ends in jumps, of the hooks, too. */
APART static void tail(unsigned int n)
{
	TALLY(TAIL);
	if (n) {
		tail(n - 1);
		sink += n;
	}
	tailed(n);
}

static inline __attribute__((always_inline)) unsigned int inlined(unsigned int n)
{
	TALLY(INLINED);
	return n + 3;
}

static jmp_buf place;

APART static void jumper(unsigned int n)
{
	TALLY(JUMPER);
	leaf(n);
	if (n == 0)
		longjmp(place, 1);
	jumper(n - 1);
	sink++;
}

APART static void back(unsigned int n)
{
	TALLY(BACK);
	if (setjmp(place) == 0)
		jumper(n);
}

/* Compilers make one call of the hook of two that differ in their argument. */
static inline unsigned int shared_one(unsigned int n)
{
	return n * 3 + 1;
}

static inline unsigned int shared_two(unsigned int n)
{
	return n * 3 + 1;
}

APART static unsigned int choose(unsigned int which, unsigned int n)
{
	TALLY(CHOOSE);
	TALLY(which ? SHARED_ONE : SHARED_TWO);
	return which ? shared_one(n) : shared_two(n);
}

int main(int argument_count, char **arguments)
{
	uint64_t end = tally_now_ms() + (argument_count > 1 ? atoi(arguments[1]) : 120);
	unsigned int round = 0;

	tally_begin();
	do {
		for (int i = 0; i < 20; i++) {
			sink += fibonacci(8);
			sink += (unsigned int)(even(40) + even(31));
			sink += roomy(9);
			tail(12);
			back(5);
			for (unsigned int n = 0; n < 60; n++) {
				sink += exits(n);
				sink += inlined(n) + inlined(n + 1);
				sink += choose(n % 3 == 0, n);
			}
		}
		round++;
	} while (tally_now_ms() < end);
	TALLY_SAY(leaf, LEAF);
	TALLY_SAY(fibonacci, FIBONACCI);
	TALLY_SAY(even, EVEN);
	TALLY_SAY(odd, ODD);
	TALLY_SAY(roomy, ROOMY);
	TALLY_SAY(exits, EXITS);
	TALLY_SAY(tail, TAIL);
	TALLY_SAY(tailed, TAILED);
	TALLY_SAY(inlined, INLINED);
	TALLY_SAY(jumper, JUMPER);
	TALLY_SAY(back, BACK);
	TALLY_SAY(choose, CHOOSE);
	TALLY_SAY(shared_one, SHARED_ONE);
	TALLY_SAY(shared_two, SHARED_TWO);
	return 0;
}
