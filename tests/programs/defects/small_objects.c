/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: a tree of numbers in which each number is a block of eight bytes.
 */
// expect: M9 small-object-overhead keep_number
#include "background.h"

#include <stdlib.h>

#define NUMBERS 144000

static uint64_t *numbers[NUMBERS];

static __attribute__((noinline)) void keep_number(unsigned at)
{
	numbers[at] = malloc(sizeof(*numbers[at]));
	if (!numbers[at])
		abort();
	*numbers[at] = at;
}

static __attribute__((noinline)) void keep_row(unsigned first)
{
	for (unsigned i = 0; i < 40; i++)
		keep_number(first + i);
}

static __attribute__((noinline)) void keep_page(unsigned first)
{
	for (unsigned i = 0; i < 40; i++)
		keep_row(first + 40 * i);
}

int main(void)
{
	for (unsigned i = 0; i < NUMBERS / 1600; i++)
		keep_page(1600 * i);
	background(20, 50000);
	for (unsigned i = 0; i < NUMBERS; i++)
		free(numbers[i]);
	return 0;
}
