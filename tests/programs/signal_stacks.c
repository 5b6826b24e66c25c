/* SPDX-License-Identifier: MIT */
/* Coroutines made by the trick of GNU Pth and QEMU: a signal handler on an alternate
 * stack calls sigsetjmp and returns; siglongjmp goes back into it, and the stack is a
 * coroutine's from then on. */
// variants: lto
// expect-trust: orphan_exits => 0
// tolerate: repaired_frames
// expect-sql: SELECT name, calls FROM functions WHERE name IN ('work', 'yield', 'resume',
//     'body') ORDER BY name => body|10; resume|1010; work|1000; yield|1010
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'work' => body|1000
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'after' => main|1010
// expect-sql: SELECT SUM(alloc_count) FROM call_paths WHERE name = 'work' => 1000
// expect-sql: SELECT MAX(depth) FROM call_paths WHERE name = 'resume' => 2
#include "truth.h"
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#define COUNT 10
#define STACK_SIZE (64ul << 10)

struct coroutine {
	sigjmp_buf own, resumer;
	volatile int is_made;
};

static struct coroutine coroutines[COUNT];
static struct coroutine *volatile making;
static struct coroutine *volatile running;
static volatile unsigned sum;

ALONE static void resume(struct coroutine *coroutine)
{
	running = coroutine;
	if (!sigsetjmp(coroutine->resumer, 0))
		siglongjmp(coroutine->own, 1);
}

ALONE static void yield(struct coroutine *coroutine)
{
	if (!sigsetjmp(coroutine->own, 0))
		siglongjmp(coroutine->resumer, 1);
}

ALONE static void work(struct coroutine *coroutine)
{
	void *block = malloc(opaque(48));

	keep(block);
	yield(coroutine);
	free(block);
}

ALONE static void body(struct coroutine *coroutine)
{
	int i;

	for (i = 0; i < 100; i++)
		work(coroutine);
	yield(coroutine);
}

/* Returns the first time; the second time it is a coroutine's first function. */
ALONE static void on_signal(int signal)
{
	struct coroutine *self = making;

	(void)signal;
	self->is_made = 1;
	if (sigsetjmp(self->own, 0)) {
		body(running);
		abort();
	}
}

ALONE static void make(struct coroutine *coroutine)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_sp = malloc(STACK_SIZE), .ss_size = STACK_SIZE};

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR2, &action, NULL);
	making = coroutine;
	raise(SIGUSR2);
	if (!coroutine->is_made)
		abort();
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
}

ALONE static void after(void)
{
	sum++;
}

int main(void)
{
	int i, round;

	for (i = 0; i < COUNT; i++)
		make(&coroutines[i]);
	for (round = 0; round < 101; round++)
		for (i = 0; i < COUNT; i++) {
			resume(&coroutines[i]);
			after();
		}
	return 0;
}
