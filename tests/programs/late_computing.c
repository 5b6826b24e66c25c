/* SPDX-License-Identifier: MIT */
/* A process that has said that it ends computes on for a while: what the collector sees of
 * that is no CPU time of the thread's before, which slept. */
// variants: once
// expect-sql: SELECT SUM(t.ready_ns + t.blocked_ns) >= $nap FROM threads t JOIN processes p
//     USING (process_id) WHERE p.parent_process_id IS NOT NULL => 1
// expect-sql: SELECT SUM(ready_ns + blocked_ns) >= $nap FROM call_paths WHERE name = 'nap' => 1
#include "truth.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAP_NS 60000000
#define LATE_NS 1200000000 /* the collector looks at the threads once a second */

UNTRACED long clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

ALONE static void nap(void)
{
	const struct timespec moment = {.tv_nsec = NAP_NS};

	nanosleep(&moment, NULL);
}

/* No hook finds out about its time. */
__attribute__((no_instrument_function)) static void go_on(void)
{
	long end = clock_ns() + (getenv("BRIEF") ? 0 : LATE_NS);

	while (clock_ns() < end)
		continue;
}

int main(void)
{
	int status = 1;

	fprintf(stderr, "truth: nap=%d\n", NAP_NS);
	if (fork() == 0) {
		at_quick_exit(go_on);
		nap();
		quick_exit(0);
	}
	return wait(&status) < 0 || status;
}
