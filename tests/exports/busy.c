// SPDX-License-Identifier: MIT
// Plain, to be sampled: argv[1] rounds of one function for each two of another.
#include <stdlib.h>

#define CALLED __attribute__((noinline))

static volatile double sink;

CALLED static void churn(long rounds)
{
	for (long i = 0; i < rounds; i++)
		sink = sink * 1.0000001 + (double)i;
}

CALLED static void often(long rounds)
{
	churn(rounds);
}

CALLED static void rarely(long rounds)
{
	churn(rounds);
}

int main(int argc, char **argv)
{
	long share = argc > 1 ? atol(argv[1]) : 1;

	for (int i = 0; i < 60; i++) {
		often(1000000);
		rarely(500000 * share);
	}
	return 0;
}
