/* SPDX-License-Identifier: MIT */
/* Assembler that calls C with a stack that is not aligned to 16 bytes, as x264's does: no
 * function here minds, so the recorder must not. */
// expect-trust: repaired_frames => 0
// expect-trust: orphan_exits => 0
// expect-sql: SELECT SUM(calls) FROM functions WHERE name = 'leaf' => 1000000
// expect-sql: SELECT SUM(calls) FROM functions WHERE name = 'deep' => 10000
// expect-sql: SELECT SUM(alloc_count) FROM functions WHERE name = 'block' => 1000
#include "truth.h"
#include <stdlib.h>

static volatile unsigned sum;

ALONE static void leaf(void)
{
	sum++;
}

ALONE static void leaves(void)
{
	for (int i = 0; i < 1000; i++)
		leaf();
}

ALONE static void deep(int depth)
{
	if (depth)
		deep(depth - 1);
	sum++;
}

ALONE static void block(void)
{
	void *data = malloc(opaque(100));

	keep(data);
	free(data);
}

ALONE static void all(void)
{
	leaves();
	deep(9);
	block();
}

__attribute__((no_instrument_function, noinline)) static void
askew(void (*function)(void))
{
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "subq $128, %%rsp\n\t" /* the red zone */
			 "andq $-16, %%rsp\n\t"
			 "subq $8, %%rsp\n\t"
			 "call *%0\n\t"
			 "movq %%rbx, %%rsp"
			 : "+r"(function)
			 :
			 : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10",
			   "r11", "memory", "cc");
}

int main(void)
{
	for (int i = 0; i < 1000; i++)
		askew(all);
	return 0;
}
