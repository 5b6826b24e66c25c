// SPDX-License-Identifier: MIT
// Exceptions through functions that are only counted, and destructors on the way.
#include "tally.h"

enum { TOSS, CARRY, GUARDED, GUARD, SHORT_ONE };

static volatile unsigned int sink;

struct Guard {
	Guard()
	{
		TALLY(GUARD);
	}
	~Guard()
	{
		sink = sink + 1;
	}
};

APART static unsigned int short_one(unsigned int n)
{
	TALLY(SHORT_ONE);
	return n + 1;
}

APART static void toss(unsigned int n)
{
	TALLY(TOSS);
	sink = sink + short_one(n);
	if (n % 40 == 0)
		throw n;
}

APART static void carry(unsigned int depth, unsigned int n)
{
	Guard guard;

	TALLY(CARRY);
	if (depth)
		carry(depth - 1, n);
	else
		toss(n);
	sink = sink + 1;
}

APART static void guarded(unsigned int n)
{
	TALLY(GUARDED);
	try {
		carry(n % 5, n);
	} catch (unsigned int value) {
		sink = sink + value;
	}
}

int main()
{
	uint64_t end = tally_now_ms() + 200;

	tally_begin();
	for (unsigned int n = 0; n % 1000 || tally_now_ms() < end; n++)
		guarded(n);
	TALLY_SAY(toss, TOSS);
	TALLY_SAY(carry, CARRY);
	TALLY_SAY(guarded, GUARDED);
	TALLY_SAY(short_one, SHORT_ONE);
	return 0;
}
