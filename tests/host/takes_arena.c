/* SPDX-License-Identifier: MIT */
/* A program that maps something over all executable memory that has no file: what is there
 * is none of its own. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "short_steps.h"

#define MOST 16

/* Returns how many there were. */
ALONE static int take_all(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long low[MOST], high[MOST], file;
	char line[512], access[8];
	int count = 0;

	while (maps && count < MOST && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %7s %*s %*s %lu", &low[count], &high[count],
			   access, &file) == 4 &&
		    strcmp(access, "r-xp") == 0 && !file && !strchr(line, '['))
			count++;
	}
	for (int i = 0; i < count; i++)
		memset(mmap((void *)low[i], high[i] - low[i], PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
		       0xcc, high[i] - low[i]);
	return count;
}

int main(void)
{
	int taken;

	become_known();
	taken = take_all();
	become_known();
	fprintf(stderr, "taken %d steps %lu\n", taken, work);
	return 0;
}
