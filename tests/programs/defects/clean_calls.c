/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program without a defect: an interpreter that is entered a dozen times and
 *                runs many steps each (bc was told of that), and a function of a header,
 *                which the compiler inlines where no hooks are (html2text was).
 */
// rules: {"rules": {"T2": {"limits": {"call_ns": 6}}}}
/* A dearer call, so that T2 would be more than low. */
#include "background.h"

#define ENTRIES 12
#define STEPS 150

static unsigned char block[4096];

/* As if it came from a header. */
#line 1 "block.h"
static inline unsigned char block_byte(unsigned at)
{
	return block[at];
}
#line 23 "clean_calls.c"

static __attribute__((noinline)) void sum_block(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < sizeof(block); i++)
		sum += block_byte(i);
	background_sink += sum;
}

static __attribute__((noinline)) void run_step(void)
{
	background(1, 4000);
}

static __attribute__((noinline)) void interpret(void)
{
	for (int i = 0; i < STEPS; i++)
		run_step();
}

int main(void)
{
	for (int i = 0; i < ENTRIES; i++)
		interpret();
	for (int i = 0; i < 2500; i++)
		sum_block();
	return 0;
}
