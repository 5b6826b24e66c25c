/* SPDX-License-Identifier: MIT */
/* siglongjmp out of signal handlers: on the thread's stack, on an alternate one, out of
 * two handlers nested on the alternate one, out of a real fault. In the main thread the
 * alternate stack lies below the stack, in the other one above it. */
// variants: lto
// flags: -pthread
// expect-trust: orphan_exits => 0
// expect-tree:
//     main 1 +?
//       handle 5
//       all 1
//         on_this_stack 100
//           deeper*4 100
//             on_user 100
//               leave 100
//           landed 100
//         on_own_stack 100
//           raise_own 100
//             on_own 100
//               leave 100
//           landed 100
//         nested_handlers 100
//           raise_first 100
//             on_first 100
//               on_own 100
//                 leave 100
//           landed 100
//         fault 20
//           crash 20
//             on_fault 20
//               leave 20
//           landed 20
//     start 1
//       all 1
//         on_this_stack 100
//           deeper*4 100
//             on_user 100
//               leave 100
//           landed 100
//         on_own_stack 100
//           raise_own 100
//             on_own 100
//               leave 100
//           landed 100
//         nested_handlers 100
//           raise_first 100
//             on_first 100
//               on_own 100
//                 leave 100
//           landed 100
//         fault 20
//           crash 20
//             on_fault 20
//               leave 20
//           landed 20
// expect-trust: repaired_frames => 2720
#include "truth.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#define STACK_SIZE (1 << 17)

static volatile unsigned sum;
static sigjmp_buf place;
static int *volatile nowhere;

ALONE static void landed(void)
{
	sum++;
}

ALONE static void leave(void)
{
	siglongjmp(place, 1);
}

ALONE static void on_user(int signal)
{
	sum += (unsigned)signal;
	leave();
}

ALONE static void on_own(int signal)
{
	sum += (unsigned)signal;
	leave();
}

/* Runs on the alternate stack and is interrupted there. */
ALONE static void on_first(int signal)
{
	sum += (unsigned)signal;
	raise(SIGUSR2);
	sum++;
}

ALONE static void on_fault(int signal)
{
	sum += (unsigned)signal;
	leave();
}

ALONE static void deeper(int levels)
{
	if (levels == 0)
		raise(SIGUSR1);
	else
		deeper(levels - 1);
	sum++;
}

ALONE static void on_this_stack(void)
{
	if (!sigsetjmp(place, 1))
		deeper(3);
	landed();
}

ALONE static void raise_own(void)
{
	raise(SIGUSR2);
	sum++;
}

ALONE static void on_own_stack(void)
{
	if (!sigsetjmp(place, 1))
		raise_own();
	landed();
}

ALONE static void raise_first(void)
{
	raise(SIGALRM);
	sum++;
}

ALONE static void nested_handlers(void)
{
	if (!sigsetjmp(place, 1))
		raise_first();
	landed();
}

ALONE static void crash(void)
{
	*nowhere = 1;
	sum++;
}

ALONE static void fault(void)
{
	if (!sigsetjmp(place, 1))
		crash();
	landed();
}

ALONE static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	sigaction(signal, &action, NULL);
}

ALONE static void all(void *memory)
{
	stack_t stack = {.ss_sp = memory, .ss_size = STACK_SIZE};
	int i;

	sigaltstack(&stack, NULL);
	for (i = 0; i < 100; i++) {
		on_this_stack();
		on_own_stack();
		nested_handlers();
	}
	for (i = 0; i < 20; i++)
		fault();
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
}

ALONE static void *start(void *memory)
{
	all(memory);
	return NULL;
}

int main(void)
{
	static char memory[3 * STACK_SIZE] __attribute__((aligned(4096)));
	pthread_attr_t attributes;
	pthread_t thread;

	handle(SIGUSR1, on_user, 0);
	handle(SIGUSR2, on_own, SA_ONSTACK);
	handle(SIGALRM, on_first, SA_ONSTACK);
	handle(SIGSEGV, on_fault, SA_ONSTACK);
	handle(SIGBUS, on_fault, SA_ONSTACK);
	all(memory);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, memory, 2 * STACK_SIZE);
	if (pthread_create(&thread, &attributes, start, memory + 2 * STACK_SIZE))
		return 1;
	return pthread_join(thread, NULL);
}
