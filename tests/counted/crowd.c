/* SPDX-License-Identifier: MIT */
/*
 * Threads that are inside of functions while these are switched, threads that come and
 * go, and a timer whose handler calls the same functions and forks now and then. All on
 * the smallest stacks that the system allows, with what hooks need in handlers.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tally.h"

#define THREADS 8
#define HOOKS_NEED 2048

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

enum { STEP, DEEPER, HANDLED, SHORT };

static volatile unsigned int sink;
static volatile int is_over;

APART static unsigned int step(unsigned int n)
{
	TALLY(STEP);
	return n * 5 + 1;
}

APART static unsigned int deeper(unsigned int n)
{
	TALLY(DEEPER);
	return n ? deeper(n - 1) + step(n) : 0;
}

APART static void handled(void)
{
	TALLY(HANDLED);
	sink += deeper(2);
}

static void handle(int signal)
{
	static __thread int count;

	(void)signal;
	handled();
	if (++count % 400)
		return;
	if (fork() == 0) {
		sink += deeper(3);
		_exit(0);
	}
}

/* What comes when a thread has ended is late, and counted as such. */
NO_HOOKS static void block_signals(void)
{
	sigset_t signals;

	sigfillset(&signals);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

/* What a handler is promised room for, which may be 471 bytes (with AVX-512), and what
 * docs/limits.md says that hooks need. */
NO_HOOKS static stack_t make_stack(void)
{
	size_t size = getauxval(AT_MINSIGSTKSZ);

	size = size ? size + HOOKS_NEED : 8192;
	return (stack_t){.ss_sp = malloc(size), .ss_size = size};
}

static void *work(void *argument)
{
	stack_t stack = make_stack();

	if ((uintptr_t)argument % 2)
		sigaltstack(&stack, NULL);
	while (!is_over) {
		for (int i = 0; i < 200; i++)
			sink += deeper(6);
	}
	block_signals();
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	free(stack.ss_sp);
	return NULL;
}

APART static void *short_one(void *argument)
{
	TALLY(SHORT);
	for (int i = 0; i < 50; i++)
		sink += deeper(4);
	block_signals();
	return argument;
}

int main(void)
{
	struct itimerval interval = {{0, 200}, {0, 200}};
	struct sigaction action = {.sa_handler = handle,
				   .sa_flags = SA_RESTART | SA_ONSTACK};
	uint64_t end = tally_now_ms() + 600;
	pthread_t threads[THREADS], brief;
	pthread_attr_t attributes;

	tally_begin();
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN));
	sigaction(SIGALRM, &action, NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], &attributes, work, (void *)i);
	setitimer(ITIMER_REAL, &interval, NULL);
	while (tally_now_ms() < end) {
		if (pthread_create(&brief, &attributes, short_one, NULL) == 0)
			pthread_join(brief, NULL);
	}
	is_over = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	memset(&interval, 0, sizeof(interval));
	setitimer(ITIMER_REAL, &interval, NULL);
	while (wait(NULL) > 0)
		;
	TALLY_SAY(step, STEP);
	TALLY_SAY(deeper, DEEPER);
	TALLY_SAY(handled, HANDLED);
	TALLY_SAY(short_one, SHORT);
	return 0;
}
