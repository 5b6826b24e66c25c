/* SPDX-License-Identifier: MIT */
/* A recursion 300,000 deep, in a thread with a big stack of its own: what recurses over the
 * call tree, with 32 bytes a level or more, does not get through it on a stack of 8 MiB. And
 * one 20,000 deep that is left by longjmp from the bottom. What compilers make of a deep
 * recursion is the matter of deep.c. */
// variants: once
// flags: -pthread
// expect-trust: repaired_frames => 20000
// expect-trust: orphan_exits => 0
// expect-sql: SELECT calls FROM functions WHERE name = 'descend' => 300000
// expect-sql: SELECT COUNT(*), MAX(depth) FROM call_paths WHERE name = 'descend' =>
//     300000|300001
// expect-sql: SELECT depth, calls, alloc_count FROM call_paths WHERE name = 'bottom' =>
//     300002|1|1
// expect-sql: SELECT calls FROM functions WHERE name = 'jump_back' => 20000
// expect-sql: SELECT MAX(depth) FROM call_paths WHERE name = 'jump_back' => 20001
// expect-sql: SELECT depth, calls FROM call_paths WHERE name = 'landed' => 2|1
#include "truth.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>

#define STACK_SIZE (1ul << 30)

static volatile unsigned sum;
static jmp_buf place;

ALONE static void bottom(void)
{
	void *block = malloc(opaque(16));

	keep(block);
	free(block);
}

ALONE static void descend(unsigned levels)
{
	if (levels > 1)
		descend(levels - 1);
	else
		bottom();
	sum++;
}

ALONE static void jump_back(unsigned levels)
{
	if (levels == 1)
		longjmp(place, 1);
	if (levels > 0)
		jump_back(levels - 1);
	sum++;
}

ALONE static void landed(void)
{
	sum++;
}

ALONE static void *start(void *argument)
{
	descend(300000);
	if (!setjmp(place))
		jump_back(20000);
	landed();
	return argument;
}

int main(void)
{
	void *memory = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	pthread_attr_t attributes;
	pthread_t thread;

	if (memory == MAP_FAILED)
		return 1;
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, memory, STACK_SIZE);
	if (pthread_create(&thread, &attributes, start, NULL))
		return 1;
	pthread_join(thread, NULL);
	return sum == 300001 ? 0 : 1;
}
