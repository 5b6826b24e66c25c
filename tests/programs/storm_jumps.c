/* SPDX-License-Identifier: MIT */
/* A handler that jumps away at 10 kHz from wherever it interrupts, inside the recorder's
 * hooks too. What is interrupted between its hook and its own count may differ by one a
 * jump; what comes after a jump hangs under the function that called setjmp, always. */
// variants: all
// tolerate: repaired_frames orphan_exits
// expect-trust: open_frames => 0
// expect-sql: SELECT calls FROM functions WHERE name = 'landed' => $landings
// expect-sql: SELECT calls FROM functions WHERE name = 'on_alarm' => 3000
// expect-sql: SELECT DISTINCT p.name FROM call_paths c JOIN call_paths p ON p.path_id =
//     c.parent_path_id WHERE c.name = 'landed' => work
// expect-sql: SELECT calls - $steps BETWEEN -$landings AND $landings FROM functions WHERE
//     name = 'step' => 1
// expect-sql: SELECT DISTINCT p.name, p.depth FROM call_paths c JOIN call_paths p ON
//     p.path_id = c.parent_path_id WHERE c.name = 'run' => work|2
// expect-sql: SELECT DISTINCT p.name FROM call_paths c JOIN call_paths p ON p.path_id =
//     c.parent_path_id WHERE c.name = 'step' => run
// expect-sql: SELECT calls FROM functions WHERE name = 'run' => $landings
// expect-sql: SELECT TOTAL(value) BETWEEN 2 * $landings AND 3 * $landings FROM trust
//     WHERE name = 'repaired_frames' => 1
// expect-sql: SELECT MAX(depth) FROM call_paths => 5
#include "truth.h"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile unsigned long alarms, steps, landings;
static sigjmp_buf place;

ALONE static void landed(void)
{
	landings++;
}

ALONE static void on_alarm(int signal)
{
	(void)signal;
	alarms++;
	siglongjmp(place, 1);
}

ALONE static void step(void)
{
	steps++;
}

UNTRACED void set_timer(long microseconds)
{
	struct itimerval timer = {{0, 0}, {0, microseconds}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

ALONE static void run(void)
{
	set_timer(100);
	for (;;)
		step();
}

ALONE static void work(void)
{
	while (alarms < 3000) {
		if (!sigsetjmp(place, 1))
			run();
		landed();
	}
}

int main(void)
{
	signal(SIGALRM, on_alarm);
	work();
	fprintf(stderr, "truth: steps=%lu landings=%lu\n", steps, landings);
	return 0;
}
