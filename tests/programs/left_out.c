/* SPDX-License-Identifier: MIT */
/* What the recorder takes for itself, here to make call paths, is CPU time: the time in which
 * others have the CPU is not, though they get it while it is at work more often than not. */
// variants: once
// expect-sql: SELECT value > 0 FROM trust WHERE name = 'left_out_ns' => 1
// expect-sql: SELECT (SELECT value FROM trust WHERE name = 'left_out_ns') < SUM(cpu_ns) FROM
//     threads WHERE process_id = (SELECT MIN(process_id) FROM processes) => 1
// expect-trust: folded_paths => 0
#include "truth.h"
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNHOOKED __attribute__((no_instrument_function))
#define COMPETITORS 3
#define LEVELS 14

static volatile unsigned sum;

ALONE static void grow(unsigned path, unsigned levels);

ALONE static void left(unsigned path, unsigned levels)
{
	grow(path, levels);
}

ALONE static void right(unsigned path, unsigned levels)
{
	grow(path, levels);
}

ALONE static void grow(unsigned path, unsigned levels)
{
	for (int i = 0; i < 1000; i++)
		sum++;
	if (levels == 0)
		return;
	if (path & 1)
		left(path >> 1, levels - 1);
	else
		right(path >> 1, levels - 1);
}

/* All on the first CPU that the process may use. */
UNHOOKED static void bind_to_one(void)
{
	cpu_set_t all, one;
	int first = 0;

	sched_getaffinity(0, sizeof(all), &all);
	while (first < CPU_SETSIZE - 1 && !CPU_ISSET(first, &all))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

UNHOOKED static pid_t compete(void)
{
	pid_t child = fork();

	while (child == 0)
		sum++;
	return child;
}

UNHOOKED int main(void)
{
	pid_t competitors[COMPETITORS];

	bind_to_one();
	for (int i = 0; i < COMPETITORS; i++)
		competitors[i] = compete();
	for (unsigned path = 0; path < 1u << LEVELS; path++)
		grow(path, LEVELS);
	for (int i = 0; i < COMPETITORS; i++) {
		kill(competitors[i], SIGKILL);
		waitpid(competitors[i], NULL, 0);
	}
	return 0;
}
