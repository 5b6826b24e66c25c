/* SPDX-License-Identifier: MIT */
/* Coroutines that throw and catch, and coroutines that are made in one thread and go on
 * in others: their open functions go with them, and each call is counted once. */
// variants: lto
// flags: -pthread
// expect-trust[gcc]: repaired_frames => 0
// expect-trust[clang]: repaired_frames => 400
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1 +?
//       create 17
//       resume 101
//       resume_all 2
//         resume 32
//     start 8
//       resume_all 16
//         resume 256
//     catching 1
//       catcher 100
//         deep*3 100
//           deep 100 +100
//         after 100
//           yield 100
//     wanderer 16
//       level*3 16
//         work 272 +272
//           yield 272
#include "truth.h"
#include <cstdlib>
#include <pthread.h>
#include <ucontext.h>

static const size_t stack_size = 128 << 10;

struct Coroutine {
	ucontext_t own, resumer;
};

static volatile int sum;
static thread_local Coroutine *running;
static Coroutine wanderers[16], catching_one;
static char stacks[17][stack_size] __attribute__((aligned(16)));

ALONE static void create(Coroutine *coroutine, void (*body)())
{
	static int count;

	getcontext(&coroutine->own);
	coroutine->own.uc_stack.ss_sp = stacks[count++];
	coroutine->own.uc_stack.ss_size = stack_size;
	coroutine->own.uc_link = &coroutine->resumer;
	makecontext(&coroutine->own, body, 0);
}

ALONE static void resume(Coroutine *coroutine)
{
	running = coroutine;
	swapcontext(&coroutine->resumer, &coroutine->own);
}

/* Its thread may be another one after each switch, so the address of the thread's own
 * variable must not be kept over it. */
ALONE static void yield(Coroutine *coroutine)
{
	swapcontext(&coroutine->own, &coroutine->resumer);
}

ALONE static void after(Coroutine *coroutine)
{
	sum = sum + 1;
	if (coroutine)
		yield(coroutine);
}

ALONE static void deep(int levels)
{
	if (levels == 0)
		throw levels;
	deep(levels - 1);
	sum = sum + 1;
}

ALONE static void catcher(Coroutine *coroutine)
{
	try {
		deep(3);
	} catch (int) {
		after(coroutine);
	}
}

ALONE static void catching()
{
	for (int i = 0; i < 100; i++)
		catcher(&catching_one);
}

ALONE static void work(Coroutine *coroutine)
{
	void *block = malloc(opaque(24));

	keep(block);
	yield(coroutine);
	free(block);
}

ALONE static void level(int levels, Coroutine *coroutine)
{
	if (levels > 0) {
		level(levels - 1, coroutine);
	} else {
		for (int i = 0; i < 17; i++)
			work(coroutine);
	}
	sum = sum + 1;
}

ALONE static void wanderer()
{
	level(2, running);
}

ALONE static void resume_all()
{
	for (int i = 0; i < 16; i++)
		resume(&wanderers[i]);
}

ALONE static void *start(void *argument)
{
	resume_all();
	resume_all();
	return argument;
}

int main()
{
	create(&catching_one, catching);
	for (int i = 0; i < 101; i++)
		resume(&catching_one);
	for (int i = 0; i < 16; i++)
		create(&wanderers[i], wanderer);
	resume_all();
	for (int i = 0; i < 8; i++) {
		pthread_t thread;

		if (pthread_create(&thread, nullptr, start, nullptr))
			return 1;
		pthread_join(thread, nullptr);
	}
	resume_all();
	return 0;
}
