/* SPDX-License-Identifier: MIT */
/* Steps that are as short as a mark takes, of a thread that shares its processor: the time
 * that it was switched out in the middle of a mark is not computing of the step that begins.
 * Of the slowest, which were all switched out. */
// flags: -pthread
// variants: once
// what another machine takes of the processor is no switch of this one's
// expect-sql: SELECT COUNT(*), SUM(e.cpu_ns > e.duration_ns / 2 AND e.duration_ns > 1000000) = 0 OR
//     $stolen > 0 FROM step_extremes e WHERE e.is_slowest AND e.of_process_id IS NULL => 100|1
#include "profshim.h"
#include "one_cpu.h"
#include "truth.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define NAMES 20
#define WORK_NS 1000000000

static atomic_int is_over;

UNTRACED long cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Of all processors, in ticks. */
UNTRACED long stolen(void)
{
	FILE *file = fopen("/proc/stat", "r");
	long ticks = 0;

	if (!file || fscanf(file, "cpu %*d %*d %*d %*d %*d %*d %*d %ld", &ticks) != 1)
		ticks = 0;
	if (file)
		fclose(file);
	return ticks;
}

static void *competes(void *unused)
{
	while (!is_over)
		continue;
	return unused;
}

int main(void)
{
	char name[] = "a";
	long before = stolen();
	pthread_t thread;

	stay_on_one();
	pthread_create(&thread, NULL, competes, NULL);
	for (; name[0] < 'a' + NAMES; name[0]++) {
		long end = cpu_ns() + WORK_NS / NAMES;

		while (cpu_ns() < end)
			for (int i = 0; i < 100; i++)
				profshim_step(name);
	}
	is_over = 1;
	fprintf(stderr, "truth: stolen=%ld\n", stolen() - before);
	return pthread_join(thread, NULL);
}
