/* SPDX-License-Identifier: MIT */
/* What this is: tiny functions by names of C, one of which is a part of another's that is
 * not tiny. */
#include <stdio.h>

static volatile unsigned sink;

static unsigned get_slot(unsigned at)
{
	return at * 3;
}

static unsigned slot(unsigned at)
{
	return at + 1;
}

unsigned next(unsigned at)
{
	return at ^ 5;
}

unsigned next_block(unsigned at)
{
	unsigned sum = at;

	for (unsigned i = 0; i < 20000; i++)
		sum += sum * 7 + i;
	return sum;
}

int main(void)
{
	for (unsigned i = 0; i < 200000; i++)
		sink += get_slot(slot(next(i)));
	for (unsigned i = 0; i < 200; i++)
		sink += next_block(i);
	puts("done");
	return 0;
}
