/* SPDX-License-Identifier: MIT */
/* Coroutines of the ucontext family: ping-pong, a generator that recurses, 1,000 of them
 * at once, stacks from malloc, mmap and a static array, one left by longjmp within itself, one that is never finished, and getcontext/setcontext as a loop. A
 * coroutine's functions hang under the root, whoever resumes it, and switching repairs
 * nothing: what is repaired are 300 functions left by longjmp, and 3 of a coroutine whose
 * stack is taken away under it. */
// variants: lto
// expect-trust: repaired_frames => 303
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1
//       ping_pong 1
//         create 1
//         ping 10000
//           resume 10000
//       generate 1
//         create 1
//         next 127
//           resume 127
//       many 1 +1000
//         create 1000
//         round_of_all 11
//           resume 11000
//       jumper_user 1
//         create 1
//         resume 101
//       loop 1
//         step 100
//       unfinished 1
//         create 1
//         resume 1
//     pong 1
//       pong_step 10000 +10000
//         yield 10000
//     walk 1
//       visit 1
//         visit 2
//           visit 4
//             visit 8
//               visit 16
//                 visit 32
//                   visit 64
//                     emit 64
//                       yield 64
//                   emit 32
//                     yield 32
//                 emit 16
//                   yield 16
//               emit 8
//                 yield 8
//             emit 4
//               yield 4
//           emit 2
//             yield 2
//         emit 1
//           yield 1
//     worker 1000
//       work 10000 +10000
//         yield 10000
//     jumper 1
//       catcher 100
//         thrower*3 100
//         landed 100
//           yield 100
//     hanging 1
//       yield 1
#include "truth.h"
#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK_SIZE (64ul << 10)

struct coroutine {
	ucontext_t own, resumer;
	int is_done;
};

static volatile unsigned sum;
static struct coroutine *running;
static struct coroutine crowd[1000];
static jmp_buf place;
static int value;
static void *left_stack;

ALONE static void create(struct coroutine *coroutine, void (*body)(void), void *stack)
{
	getcontext(&coroutine->own);
	coroutine->own.uc_stack.ss_sp = stack;
	coroutine->own.uc_stack.ss_size = STACK_SIZE;
	coroutine->own.uc_link = &coroutine->resumer;
	coroutine->is_done = 0;
	makecontext(&coroutine->own, body, 0);
}

ALONE static void resume(struct coroutine *coroutine)
{
	struct coroutine *before = running;

	running = coroutine;
	swapcontext(&coroutine->resumer, &coroutine->own);
	running = before;
}

ALONE static void yield(void)
{
	struct coroutine *coroutine = running;

	swapcontext(&coroutine->own, &coroutine->resumer);
}

/* A block of its own kind for each kind of stack. */
UNTRACED void *map_stack(void)
{
	return mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
}

ALONE static void pong_step(void)
{
	void *block = malloc(opaque(8));

	keep(block);
	yield();
	free(block);
}

ALONE static void pong(void)
{
	for (int i = 0; i < 10000; i++)
		pong_step();
}

ALONE static void ping(struct coroutine *coroutine)
{
	resume(coroutine);
	sum++;
}

ALONE static void ping_pong(void)
{
	struct coroutine coroutine;
	void *stack = map_stack();

	create(&coroutine, pong, stack);
	for (int i = 0; i < 10000; i++)
		ping(&coroutine);
	/* leaves it suspended, with three functions open; jumper_user() takes its stack away */
	left_stack = stack;
}

ALONE static void emit(int number)
{
	value = number;
	yield();
}

/* In order through a tree of 127 nodes. */
ALONE static void visit(int low, int high)
{
	int middle = (low + high) / 2;

	if (low < middle)
		visit(low, middle - 1);
	emit(middle);
	if (middle < high)
		visit(middle + 1, high);
}

ALONE static void walk(void)
{
	visit(1, 127);
}

ALONE static int next(struct coroutine *coroutine)
{
	resume(coroutine);
	return value;
}

ALONE static void generate(void)
{
	static char stack[STACK_SIZE] __attribute__((aligned(16)));
	struct coroutine coroutine;

	create(&coroutine, walk, stack);
	for (int i = 1; i <= 127; i++)
		if (next(&coroutine) != i)
			abort();
}

ALONE static void work(void)
{
	void *block = malloc(opaque(100));

	keep(block);
	yield();
	free(block);
}

ALONE static void worker(void)
{
	for (int i = 0; i < 10; i++)
		work();
	running->is_done = 1;
}

ALONE static void round_of_all(void)
{
	for (int i = 0; i < 1000; i++)
		resume(&crowd[i]);
}

ALONE static void many(void)
{
	static void *stacks[1000];

	for (int i = 0; i < 1000; i++) {
		stacks[i] = malloc(STACK_SIZE);
		create(&crowd[i], worker, stacks[i]);
	}
	for (int i = 0; i < 11; i++)
		round_of_all();
	for (int i = 0; i < 1000; i++) {
		if (!crowd[i].is_done)
			abort();
		free(stacks[i]);
	}
}

ALONE static void thrower(int levels)
{
	if (levels == 0)
		longjmp(place, 1);
	if (levels > 0)
		thrower(levels - 1);
	sum++;
}

ALONE static void landed(void)
{
	yield();
}

ALONE static void catcher(void)
{
	if (!setjmp(place))
		thrower(2);
	landed();
}

ALONE static void jumper(void)
{
	for (int i = 0; i < 100; i++)
		catcher();
}

ALONE static void jumper_user(void)
{
	struct coroutine coroutine;
	/* at the same place: a stack that was only unmapped may be anybody's by now */
	void *stack = mmap(left_stack, STACK_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (stack != left_stack)
		abort();
	create(&coroutine, jumper, stack);
	for (int i = 0; i < 101; i++)
		resume(&coroutine);
	munmap(stack, STACK_SIZE);
}

ALONE static void step(void)
{
	sum++;
}

ALONE static void loop(void)
{
	ucontext_t again;
	volatile int i = 0;

	getcontext(&again);
	step();
	if (++i < 100)
		setcontext(&again);
}

ALONE static void hanging(void)
{
	yield();
	sum++;
}

ALONE static void unfinished(void)
{
	static struct coroutine coroutine;

	create(&coroutine, hanging, map_stack());
	resume(&coroutine);
}

int main(void)
{
	ping_pong();
	generate();
	many();
	jumper_user();
	loop();
	unfinished();
	return 0;
}
