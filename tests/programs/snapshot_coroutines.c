/* SPDX-License-Identifier: MIT */
/* A stack on which coroutines are made again and again, each left for good with
 * three functions open, at the first of which snapshots are taken: the next one's first
 * function is called by nobody, and each that was left is closed. */
// settings: PROFSHIM_SNAPSHOT_AT=body:enter
// expect-trust: repaired_frames => 57
// expect-trust: orphan_exits => 0
// expect-sql: SELECT COUNT(*) FROM snapshots WHERE label = 'body:enter' => 20
// expect-tree:
//     main 1
//       resume 40
//     body 20
//       work 40
//         yield 40
#include "switch_stack.h"
#include "truth.h"

static struct place resumer, coroutine;
static char stack[32 << 10];
static volatile unsigned sum;

ALONE static void yield(void)
{
	switch_stack(&coroutine, &resumer);
}

ALONE static void work(void)
{
	yield();
	sum++;
}

ALONE static void body(void)
{
	for (;;)
		work();
}

__attribute__((noinline, used, no_instrument_function)) static void start_body(void)
{
	body();
}

ALONE static void resume(void)
{
	switch_stack(&resumer, &coroutine);
}

int main(void)
{
	for (int i = 0; i < 20; i++) {
		prepare_stack(&coroutine, stack, sizeof(stack), start_body);
		resume();
		resume();
	}
	return 0;
}
