/* SPDX-License-Identifier: MIT */
/* Coroutines whose stack is an array in the frame of the function that uses them, and
 * functions that later use the same memory as ordinary stack. */
// variants: lto
// expect-trust: repaired_frames => 0
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1
//       user 50
//         resume 100
//       use_memory 50
//         touch*3 50
//     guest 50
//       yield 50
#include "truth.h"
#include <ucontext.h>

static ucontext_t own, resumer;

ALONE static void resume(void)
{
	swapcontext(&resumer, &own);
}

ALONE static void yield(void)
{
	swapcontext(&own, &resumer);
}

ALONE static void guest(void)
{
	yield();
}

ALONE static void user(void)
{
	char stack[64 << 10] __attribute__((aligned(16)));

	getcontext(&own);
	own.uc_stack.ss_sp = stack;
	own.uc_stack.ss_size = sizeof(stack);
	own.uc_link = &resumer;
	makecontext(&own, guest, 0);
	resume();
	resume();
}

ALONE static void touch(int levels)
{
	char bytes[4000];

	keep(bytes);
	if (levels > 0)
		touch(levels - 1);
	keep(bytes);
}

ALONE static void use_memory(void)
{
	char bytes[16 << 10];

	keep(bytes);
	touch(2);
	keep(bytes);
}

int main(void)
{
	int i;

	for (i = 0; i < 50; i++) {
		user();
		use_memory();
	}
	return 0;
}
