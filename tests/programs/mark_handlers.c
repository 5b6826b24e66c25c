/* SPDX-License-Identifier: MIT */
/* A signal handler that marks steps, sets counters and has a region, while the program
 * does the same, with names that are new each time: a mark that interrupts a mark is lost
 * and counted, a region never. Raised once in a quiet place, then by a timer. */
// expect-sql: SELECT TOTAL(m) + (SELECT TOTAL(value) FROM trust WHERE name = 'lost_marks')
//     FROM (SELECT SUM(step_count) AS m FROM step_totals WHERE process_id IS NULL UNION ALL
//     SELECT SUM(counter_count) FROM counter_totals WHERE process_id IS NULL) => $marks
// expect-sql: SELECT SUM(calls) FROM call_paths WHERE kind = 'region' AND name =
//     'in handler' => $handled
// expect-sql: SELECT SUM(calls) FROM call_paths WHERE kind = 'region' AND name LIKE
//     'region %' => $regions
// expect-sql: SELECT SUM(calls) FROM functions WHERE name = 'handle' => $handled
// expect-sql: SELECT SUM(sum) FROM counter_totals WHERE name = 'quiet' AND process_id IS
//     NULL => 7
// expect-trust: repaired_frames => 0
// expect-trust: orphan_exits => 0
#include "profshim.h"
#include "truth.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static volatile int handled;

ALONE static void handle(int number)
{
	profshim_region_begin("app", "in handler");
	profshim_step("handled");
	profshim_counter(handled ? "number" : "quiet", handled ? number : 7);
	profshim_region_end("app", "in handler");
	handled++;
}

ALONE static void work(int round, const char *name)
{
	profshim_region_begin("app", name);
	profshim_step(name);
	profshim_counter("round", round);
	profshim_region_end("app", name);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(void)
{
	struct itimerval timer = {{0, 50}, {0, 50}};
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
	double end;
	int rounds = 0;
	char name[32];

	sigaction(SIGALRM, &action, NULL);
	raise(SIGALRM);
	setitimer(ITIMER_REAL, &timer, NULL);
	end = seconds() + 0.3;
	while (seconds() < end) {
		snprintf(name, sizeof(name), "region %d", rounds % 200);
		work(rounds++, name);
	}
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	fprintf(stderr, "truth: handled=%d regions=%d marks=%d\n", handled, rounds,
		2 * rounds + 2 * handled);
	return 0;
}
