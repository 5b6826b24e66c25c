/* SPDX-License-Identifier: MIT */
/*
 * A program at a fixed place, without random addresses, whose heap begins where it ends,
 * as a saved image of Lisp expects. usage: heap_place
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/personality.h>
#include <unistd.h>

extern char end;

int main(int count, char **words)
{
	(void)count;
	if (!(personality(0xffffffff) & ADDR_NO_RANDOMIZE)) {
		if (personality(ADDR_NO_RANDOMIZE) < 0)
			return 77;
		execv("/proc/self/exe", words);
		return 1;
	}
	printf("heap is at the end: %d\n",
	       (uintptr_t)sbrk(0) - (uintptr_t)&end < 4ul << 20);
	return 0;
}
