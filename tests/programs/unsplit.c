/* SPDX-License-Identifier: MIT */
/* With PROFSHIM_WAITS=off nothing is told apart, whatever the collector has seen of the
 * threads of a run that is long enough for it to look at them. */
// flags: -pthread
// variants: once
// settings: PROFSHIM_WAITS=off
// expect-sql: SELECT SUM(ready_ns), SUM(blocked_ns), SUM(cpu_ns = total_ns) = COUNT(*) FROM
//     call_paths WHERE kind <> 'frame' => 0|0|1
// expect-sql: SELECT COUNT(*) FROM call_paths WHERE kind = 'wait' => 0
// expect-sql: SELECT COUNT(cpu_ns) FROM threads => 0
// expect-trust: unsplit_processes => 1
#include "truth.h"
#include <pthread.h>
#include <time.h>

ALONE static void doze(void)
{
	const struct timespec long_enough = {0, 450000000};

	nanosleep(&long_enough, NULL);
}

static void *dozes(void *unused)
{
	doze();
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, dozes, NULL);
	doze();
	pthread_join(thread, NULL);
	return 0;
}
