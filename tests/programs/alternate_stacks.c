/* SPDX-License-Identifier: MIT */
/* Handlers on alternate signal stacks hang under the functions that they interrupt: in
 * the main thread, in threads, nested on the alternate stack, alternating with handlers
 * on the thread's own stack, on a stack that is exchanged for another, and in a
 * coroutine. They allocate, too. */
// variants: lto
// flags: -pthread
// expect-trust: repaired_frames => 0
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1 +?
//       handle 3
//       all 1
//         use_stack 3
//         interrupted 400
//           deeper*3 400
//             on_own 400 +400
//               in_handler 400
//             on_first 400
//               in_handler 400
//               on_own 400 +400
//                 in_handler 400
//               in_handler_too 400
//             on_plain 400
//               on_own 400 +400
//                 in_handler 400
//             in_function 400
//     start 3
//       all 3
//         use_stack 9
//         interrupted 1200
//           deeper*3 1200
//             on_own 1200 +1200
//               in_handler 1200
//             on_first 1200
//               in_handler 1200
//               on_own 1200 +1200
//                 in_handler 1200
//               in_handler_too 1200
//             on_plain 1200
//               on_own 1200 +1200
//                 in_handler 1200
//             in_function 1200
//     coroutine 1
//       interrupted 10
//         deeper*3 10
//           on_own 10 +10
//             in_handler 10
//           on_first 10
//             in_handler 10
//             on_own 10 +10
//               in_handler 10
//             in_handler_too 10
//           on_plain 10
//             on_own 10 +10
//               in_handler 10
//           in_function 10
#include "truth.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK_SIZE (64ul << 10)

static ucontext_t own, resumer;

ALONE static void in_handler(void)
{
	keep(&own);
}

ALONE static void in_handler_too(void)
{
	keep(&own);
}

ALONE static void in_function(void)
{
	keep(&own);
}

ALONE static void on_own(int signal)
{
	void *block = malloc(opaque(32));

	(void)signal;
	keep(block);
	in_handler();
	free(block);
}

ALONE static void on_first(int signal)
{
	(void)signal;
	in_handler();
	raise(SIGUSR2);
	in_handler_too();
}

/* On the thread's stack; what interrupts it is on the other. */
ALONE static void on_plain(int signal)
{
	(void)signal;
	raise(SIGUSR2);
}

ALONE static void deeper(int levels)
{
	if (levels > 0) {
		deeper(levels - 1);
	} else {
		raise(SIGUSR2);
		raise(SIGALRM);
		raise(SIGUSR1);
		in_function();
	}
	keep(&levels);
}

ALONE static void interrupted(void)
{
	deeper(2);
}

ALONE static void use_stack(void *memory)
{
	stack_t stack = {.ss_sp = memory, .ss_size = STACK_SIZE};

	stack.ss_flags = memory ? 0 : SS_DISABLE;
	sigaltstack(&stack, NULL);
}

ALONE static void all(void)
{
	static __thread char memory[STACK_SIZE];
	void *mapping = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	use_stack(memory);
	for (i = 0; i < 200; i++)
		interrupted();
	use_stack(mapping);
	for (i = 0; i < 200; i++)
		interrupted();
	use_stack(NULL);
	munmap(mapping, STACK_SIZE);
}

ALONE static void *start(void *argument)
{
	all();
	return argument;
}

ALONE static void coroutine(void)
{
	int i;

	for (i = 0; i < 10; i++)
		interrupted();
}

ALONE static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	sigaction(signal, &action, NULL);
}

int main(void)
{
	static char stack[STACK_SIZE], memory[STACK_SIZE];
	stack_t alternate = {.ss_sp = memory, .ss_size = STACK_SIZE};
	pthread_t threads[3];
	int i;

	handle(SIGUSR2, on_own, SA_ONSTACK);
	handle(SIGALRM, on_first, SA_ONSTACK);
	handle(SIGUSR1, on_plain, 0);
	all();
	for (i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, start, NULL))
			return 1;
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	sigaltstack(&alternate, NULL);
	getcontext(&own);
	own.uc_stack.ss_sp = stack;
	own.uc_stack.ss_size = STACK_SIZE;
	own.uc_link = &resumer;
	makecontext(&own, coroutine, 0);
	swapcontext(&resumer, &own);
	return 0;
}
