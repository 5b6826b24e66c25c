/* SPDX-License-Identifier: MIT */
/* Coroutines that switch stacks by their own assembly, which nothing can wrap: on stacks
 * from malloc, mmap and a static array, several in one mapping with guard pages between,
 * and one used again for the next coroutine. */
// variants: lto
// expect-trust: repaired_frames => 0
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1
//       on_heap 1 +1
//         drive 1
//           resume 1001
//       on_mapping 1
//         drive 1
//           resume 1001
//       on_array 1
//         drive 1
//           resume 1001
//       neighbours 1
//         resume 808
//       used_again 1 +1
//         drive 50
//           resume 50050
//     body 61
//       level 61
//         inner 53800 +53800
//           yield 53800
#include "switch_stack.h"
#include "truth.h"
#include <stdlib.h>
#include <sys/mman.h>

#define STACK_SIZE (32ul << 10)

static struct place resumer, coroutine;
static struct place *volatile current;
static volatile int rounds;
static volatile int is_done;

ALONE static void yield(void)
{
	switch_stack(current, &resumer);
}

ALONE static void inner(void)
{
	void *block = malloc(opaque(16));

	keep(block);
	yield();
	free(block);
}

ALONE static void level(void)
{
	int i;

	for (i = 0; i < rounds; i++)
		inner();
}

ALONE static void body(void)
{
	level();
}

/* The first function on a stack never returns; it has no hook, so that nothing stays open
 * when its stack is used again. */
__attribute__((noinline, used, no_instrument_function)) static void start_body(void)
{
	body();
	is_done = 1;
	switch_stack(current, &resumer);
}

ALONE static void resume(struct place *place)
{
	current = place;
	switch_stack(&resumer, place);
}

ALONE static void drive(char *stack)
{
	prepare_stack(&coroutine, stack, STACK_SIZE, start_body);
	is_done = 0;
	while (!is_done)
		resume(&coroutine);
}

ALONE static void on_heap(void)
{
	char *stack = malloc(STACK_SIZE);

	drive(stack);
	free(stack);
}

ALONE static void on_mapping(void)
{
	char *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	drive(stack);
	munmap(stack, STACK_SIZE);
}

ALONE static void on_array(void)
{
	static char stack[STACK_SIZE];

	drive(stack);
}

/* Eight in one mapping, with a guard page below each, as pools of stacks are made. */
ALONE static void neighbours(void)
{
	struct place places[8];
	char *block = mmap(NULL, 8 * STACK_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i, round;

	rounds = 100;
	for (i = 0; i < 8; i++)
		mprotect(block + (size_t)i * STACK_SIZE, 4096, PROT_NONE);
	for (i = 0; i < 8; i++)
		prepare_stack(&places[i], block + (size_t)i * STACK_SIZE, STACK_SIZE,
			      start_body);
	for (round = 0; round < 101; round++)
		for (i = 0; i < 8; i++)
			resume(&places[i]);
	munmap(block, 8 * STACK_SIZE);
	rounds = 1000;
}

ALONE static void used_again(void)
{
	char *stack = malloc(STACK_SIZE);
	int i;

	for (i = 0; i < 50; i++)
		drive(stack);
	free(stack);
}

int main(void)
{
	rounds = 1000;
	on_heap();
	on_mapping();
	on_array();
	neighbours();
	used_again();
	return 0;
}
