/* SPDX-License-Identifier: MIT */
/* Two coroutines that take turns in the middle of nested calls. */
// expect-sql: SELECT calls FROM functions WHERE name = 'yield_a' => 1000
// expect-sql: SELECT calls FROM functions WHERE name = 'yield_b' => 1000
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'step_a' => nest_a|1000
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'step_b' => nest_b|1000
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'yield_a' => nest_a|1000
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'yield_b' => nest_b|1000
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'finish' => main|1
#include "truth.h"
#include <ucontext.h>

static ucontext_t home, context_a, context_b;
static char stack_a[1 << 17], stack_b[1 << 17];
static volatile unsigned sum;

ALONE static void step_a(void)
{
	sum++;
}

ALONE static void step_b(void)
{
	sum++;
}

ALONE static void yield_a(void)
{
	swapcontext(&context_a, &context_b);
}

ALONE static void yield_b(void)
{
	swapcontext(&context_b, &context_a);
}

ALONE static void nest_a(void)
{
	step_a();
	yield_a();
}

ALONE static void nest_b(void)
{
	step_b();
	yield_b();
}

ALONE static void run_a(void)
{
	int i;

	for (i = 0; i < 1000; i++)
		nest_a();
}

ALONE static void run_b(void)
{
	int i;

	for (i = 0; i < 1000; i++)
		nest_b();
}

ALONE static void finish(void)
{
	sum++;
}

static void make(ucontext_t *context, char *stack, size_t size, ucontext_t *next,
		 void (*run)(void))
{
	getcontext(context);
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = size;
	context->uc_link = next;
	makecontext(context, run, 0);
}

int main(void)
{
	make(&context_a, stack_a, sizeof(stack_a), &context_b, run_a);
	make(&context_b, stack_b, sizeof(stack_b), &home, run_b);
	swapcontext(&home, &context_a);
	finish();
	return sum == 2001 ? 0 : 1;
}
