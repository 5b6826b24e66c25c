/* SPDX-License-Identifier: MIT */
/* Regions on several stacks: of coroutines that are left and resumed inside of one, on
 * their own thread and on another, also when one that was begun further out has ended;
 * left by longjmp, by pthread_exit() and by the end of a thread. What never ended is
 * repaired or counted: leaps() 4 times, a thread's region, and three of the thread that calls
 * pthread_exit(). A function that goes on on another thread does so where it would have
 * been called then. */
// variants: all
// flags: -pthread
// expect-trust: repaired_frames => 6
// expect-trust: unended_regions => 2
// expect-trust: orphan_exits => 0
// expect-trust: lost_marks => 0
// expect-tree:
//     main 1 +?
//       create 1
//       resume 2
//       jumps 4
//         jumping 4
//           leaps 4
//       after 1
//     on_thread 1
//       resume 2
//     body 1
//       outer 1
//         inner 1
//           ends 1
//             swap 2
//             before 1
//       ends 0
//         swap 1
//         later 1
//       last 1
//         later 1
//     forgetful 1
//       forgotten 1
//         before 1
//     exiting 1
//       exited 1
//         leaves 1 +?
#include "profshim.h"
#include "truth.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

static volatile unsigned sum;
static ucontext_t own, resumer;
static char stack[128 << 10];
static jmp_buf place;

ALONE static void before(void)
{
	sum++;
}

ALONE static void later(void)
{
	sum++;
}

ALONE static void after(void)
{
	sum++;
}

ALONE static void swap(void)
{
	swapcontext(&own, &resumer);
}

ALONE static void ends(void)
{
	swap();
	before();
	profshim_region_end("app", "inner");
	profshim_region_end("app", "outer");
	swap();
	swap();
	later();
}

ALONE static void body(void)
{
	profshim_region_begin("app", "outer");
	profshim_region_begin("app", "inner");
	ends();
	profshim_region_begin("app", "last");
	later();
	profshim_region_end("app", "last");
}

ALONE static void create(void)
{
	getcontext(&own);
	own.uc_stack.ss_sp = stack;
	own.uc_stack.ss_size = sizeof(stack);
	own.uc_link = &resumer;
	makecontext(&own, body, 0);
}

ALONE static void resume(void)
{
	swapcontext(&resumer, &own);
}

ALONE static void *on_thread(void *unused)
{
	resume();
	resume();
	return unused;
}

ALONE static void leaps(void)
{
	profshim_region_end("app", "jumping");
	longjmp(place, 1);
}

/* The region ends in the function that is left: leaps() is all that is repaired. */
ALONE static void jumps(void)
{
	profshim_region_begin("app", "jumping");
	if (!setjmp(place))
		leaps();
}

ALONE static void *forgetful(void *unused)
{
	profshim_region_begin("app", "forgotten");
	before();
	return unused;
}

ALONE static void leaves(void)
{
	pthread_exit(NULL);
}

ALONE static void *exiting(void *unused)
{
	profshim_region_begin("app", "exited");
	leaves();
	return unused;
}

UNTRACED void run(void *(*start)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, start, NULL) || pthread_join(thread, NULL))
		abort();
}

int main(void)
{
	create();
	resume();
	resume();
	run(on_thread);
	for (int i = 0; i < 4; i++)
		jumps();
	run(forgetful);
	run(exiting);
	after();
	return 0;
}
