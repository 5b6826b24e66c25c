/* SPDX-License-Identifier: MIT */
/* A SIGPROF storm: every 100 us (of a clock that has that resolution) a handler that calls, allocates and frees
 * interrupts code that does nothing but call, so mostly the recorder's own hooks; first
 * on the thread's stack, then on an alternate one. */
// variants: all
// expect-trust: repaired_frames => 0
// expect-trust: orphan_exits => 0
// expect-sql: SELECT calls FROM functions WHERE name = 'on_profile' => $storms
// expect-sql: SELECT calls, alloc_count FROM functions WHERE name = 'in_handler' =>
//     $storms|$storms
// expect-sql: SELECT calls FROM functions WHERE name = 'leaf' => $leaves
// expect-sql: SELECT calls FROM functions WHERE name = 'even' => $evens
// expect-sql: SELECT calls FROM functions WHERE name = 'odd' => $odds
// expect-sql: SELECT COUNT(*) FROM call_edges WHERE callee = 'in_handler' AND caller <>
//     'on_profile' => 0
// expect-sql: SELECT COUNT(*) FROM call_edges WHERE caller IN ('on_profile') AND callee <>
//     'in_handler' AND calls > 0 => 0
// expect-sql: SELECT COUNT(*) FROM call_edges WHERE callee = 'leaf' AND caller NOT IN
//     ('even', 'odd') => 0
// expect-sql: SELECT COUNT(*) FROM call_paths WHERE parent_path_id IS NULL AND kind =
//     'function' => 1
#include "truth.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long storms, leaves, evens, odds;

ALONE static void in_handler(void)
{
	void *block = malloc(opaque(100));

	keep(block);
	free(block);
}

ALONE static void on_profile(int signal)
{
	(void)signal;
	in_handler();
	storms++;
}

ALONE static void leaf(void)
{
	leaves++;
}

static void odd(unsigned n);

ALONE static void even(unsigned n)
{
	evens++;
	leaf();
	if (n > 0)
		odd(n - 1);
}

ALONE static void odd(unsigned n)
{
	odds++;
	leaf();
	if (n > 0)
		even(n - 1);
}

ALONE static void storm(int flags, unsigned long until)
{
	struct sigaction action = {.sa_handler = on_profile,
				   .sa_flags = flags | SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
	struct itimerspec every = {{0, 100000}, {0, 100000}};
	timer_t timer;
	unsigned n = 0;

	sigaction(SIGPROF, &action, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &every, NULL);
	while (storms < until)
		even(n++ % 16);
	timer_delete(timer);
}

int main(void)
{
	static char memory[1 << 16];
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};

	storm(0, opaque(1500));
	sigaltstack(&stack, NULL);
	storm(SA_ONSTACK, storms + 1500);
	signal(SIGPROF, SIG_IGN);
	fprintf(stderr, "truth: storms=%lu leaves=%lu evens=%lu odds=%lu\n", storms,
		leaves, evens, odds);
	return 0;
}
