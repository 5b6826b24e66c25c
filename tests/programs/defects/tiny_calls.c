/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: a function of one instruction is called millions of times.
 */
// expect: T2 tiny-call-storm read_byte
#include "background.h"

static unsigned char block[4096];

static __attribute__((noinline)) unsigned char read_byte(unsigned at)
{
	return block[at];
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
