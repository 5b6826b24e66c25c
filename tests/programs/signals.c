/* SPDX-License-Identifier: MIT */
/* Signal handlers that are instrumented: raised ones, a storm from a timer that hits the
 * hooks and malloc themselves, and one on a stack of its own. */
// variants: all
// expect-sql: SELECT calls FROM functions WHERE name = 'on_user' => 1000
// expect-sql: SELECT calls FROM functions WHERE name = 'on_alarm' => $alarms
// expect-sql: SELECT calls FROM functions WHERE name = 'in_alarm' => $alarms
// expect-sql: SELECT calls FROM functions WHERE name = 'on_own_stack' => 100
// expect-sql: SELECT calls FROM functions WHERE name = 'step' => $steps
// expect-sql: SELECT SUM(alloc_count), SUM(free_count) FROM allocation_sites WHERE name =
//     'busy' => $allocations|$allocations
#include "truth.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static volatile unsigned long alarms, steps, allocations, sum;

ALONE static void on_user(int signal)
{
	sum += (unsigned)signal;
}

ALONE static void in_alarm(void)
{
	alarms++;
}

ALONE static void on_alarm(int signal)
{
	sum += (unsigned)signal;
	in_alarm();
}

ALONE static void on_own_stack(int signal)
{
	sum += (unsigned)signal;
}

ALONE static void step(void)
{
	steps++;
}

ALONE static void busy(void)
{
	while (alarms < 2000) {
		void *block = malloc(opaque(40));

		keep(block);
		step();
		allocations++;
		free(block);
	}
}

static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags | SA_RESTART};

	sigaction(signal, &action, NULL);
}

static void set_timer(long microseconds)
{
	struct itimerval timer = {{0, microseconds}, {0, microseconds}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

int main(void)
{
	static char memory[1 << 16];
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
	int i;

	handle(SIGUSR1, on_user, 0);
	for (i = 0; i < 1000; i++)
		raise(SIGUSR1);
	sigaltstack(&stack, NULL);
	handle(SIGUSR2, on_own_stack, SA_ONSTACK);
	for (i = 0; i < 100; i++)
		raise(SIGUSR2);
	handle(SIGALRM, on_alarm, 0);
	set_timer(100);
	busy();
	set_timer(0);
	usleep(1000);
	fprintf(stderr, "truth: alarms=%lu steps=%lu allocations=%lu\n", alarms, steps,
		allocations);
	return 0;
}
