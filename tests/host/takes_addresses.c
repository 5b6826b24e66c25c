/* SPDX-License-Identifier: MIT */
/* A program that is linked to its address, and uses those around it as it likes: a guest's
 * memory, an image, a heap that grows. With an argument its heap begins where it ends. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

#include "short_steps.h"

#define LOWEST 0x10000ul /* /proc/sys/vm/mmap_min_addr */
#define STEP 0x10000ul
#define MIB (1ul << 20)

extern char __executable_start, end;

/* How much of [low, high) cannot be had; what can is in use from then on. */
ALONE static unsigned long take(uintptr_t low, uintptr_t high)
{
	unsigned long refused = 0;

	for (uintptr_t at = low; at + STEP <= high; at += STEP) {
		char *taken = mmap((void *)at, STEP, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
					   MAP_FIXED_NOREPLACE,
				   -1, 0);

		if (taken == (char *)at)
			*taken = 1;
		else
			refused += STEP;
	}
	return refused;
}

/* As a loader does that knows its addresses to be free. */
ALONE static int take_in_any_case(uintptr_t low, uintptr_t high)
{
	char *taken =
		mmap((void *)low, high - low, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);

	if (taken == MAP_FAILED)
		return 0;
	for (uintptr_t at = 0; at < high - low; at += STEP)
		taken[at] = 1;
	return 1;
}

int main(int count, char **words)
{
	uintptr_t program = (uintptr_t)&__executable_start & ~(STEP - 1), heap;
	int is_grown = 1, was_taken;

	if (count > 1 && !(personality(0xffffffff) & ADDR_NO_RANDOMIZE)) {
		if (personality(ADDR_NO_RANDOMIZE) < 0)
			return 77;
		execv("/proc/self/exe", words);
		return 1;
	}
	become_known();
	/* it may have begun where the program ends */
	printf("heap given up: %d\n", brk(&end));
	heap = (uintptr_t)sbrk(0);
	steps(1000);
	for (int i = 0; i < 64; i++)
		is_grown &= sbrk((intptr_t)MIB) == (void *)(heap + (uintptr_t)i * MIB);
	printf("heap grown: %d\n", is_grown);
	memset((void *)heap, 1, 64 * MIB);
	printf("refused below: %lu\n", take(LOWEST, program));
	printf("refused above: %lu\n",
	       take((heap + 1024 * MIB) & ~(STEP - 1), 0x7fff0000ul));
	was_taken = take_in_any_case(LOWEST, program);
	steps(1000000);
	printf("taken: %d\n", was_taken);
	fprintf(stderr, "steps %lu\n", work);
	return 0;
}
