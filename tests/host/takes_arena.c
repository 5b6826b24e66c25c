/* SPDX-License-Identifier: MIT */
/* A program that maps something over all executable memory that has no file: what is there
 * is none of its own. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define ALONE __attribute__((noinline, noclone))
#define MOST 16

static volatile unsigned long work;

ALONE static void step(void)
{
	work = work + 1;
}

ALONE static void steps(int count)
{
	for (int i = 0; i < count; i++)
		step();
}

/* Calls step() for so long that it is known to be short. */
ALONE static void become_known(void)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do {
		steps(100000);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000l + now.tv_nsec - begin.tv_nsec <
		 300000000l);
}

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
