/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: a key is put together in a block of its own and freed at once.
 */
// expect: M3 temporary-allocations look_up
#include "background.h"

#include <stdlib.h>

static __attribute__((noinline)) void look_up(uint64_t number)
{
	for (int i = 0; i < 4; i++) {
		volatile unsigned char *key = malloc(24 + number % 8);

		if (!key)
			abort();
		key[0] = (unsigned char)number;
		background_sink += key[0];
		free((void *)key);
	}
}

static __attribute__((noinline)) void handle_row(uint64_t row)
{
	for (uint64_t i = 0; i < 40; i++)
		look_up(row + i);
}

static __attribute__((noinline)) void handle_page(uint64_t page)
{
	for (uint64_t i = 0; i < 40; i++)
		handle_row(page + i);
}

int main(void)
{
	background(2, 100000);
	for (uint64_t i = 0; i < 400; i++)
		handle_page(i);
	return 0;
}
