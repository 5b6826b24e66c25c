/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: a function of a few instructions is called millions of times. It
 *                waits for them, or the clock behind it would be read before they are done:
 *                some ns of each call would be its caller's, and its own time not known.
 */
// expect: T2 tiny-call-storm read_byte
#include "background.h"

static unsigned char block[4096];

static __attribute__((noinline)) unsigned char read_byte(unsigned at)
{
	uint32_t mixed = block[at % sizeof(block)] + at;

	for (int i = 0; i < 10; i++)
		mixed = (mixed ^ mixed >> 15) * 0x2c1b3c6du;
	__builtin_ia32_lfence();
	return (unsigned char)mixed;
}

static __attribute__((noinline)) void sum_block(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < sizeof(block); i++)
		sum += read_byte(i);
	background_sink += sum;
}

int main(void)
{
	background(10, 40000);
	for (int i = 0; i < 2500; i++)
		sum_block();
	return 0;
}
