/* SPDX-License-Identifier: MIT */
/* Three timers send SIGPROF, SIGALRM and SIGUSR1 to three threads, each 10,000 times a
 * second. Threads and handlers call functions on ever new paths, so that handlers land in
 * the middle of everything the recorder does to its tree; the threads allocate, too (the
 * handlers must not, in a thread that does). Every call is counted. */
// variants: all
// flags: -pthread -lrt
// expect-sql: SELECT SUM(calls) FROM functions WHERE name IN ('zero', 'one', 'two', 'three')
//     => $calls
// expect-sql: SELECT calls FROM functions WHERE name = 'handle' => $handled
// expect-sql: SELECT SUM(alloc_count), SUM(live_count) FROM allocation_sites WHERE name
//     = 'tour' => $tours|0
// expect-sql: SELECT COUNT(*) FROM threads => 4
#include "truth.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define TOURS 6000

static atomic_ulong calls, handled, tours;
static const int signals[THREADS] = {SIGPROF, SIGALRM, SIGUSR1};

static void zero(unsigned path), one(unsigned path), two(unsigned path),
	three(unsigned path);

/* Two bits of the path say whom to call next; nothing left: return. */
UNTRACED void next(unsigned path)
{
	static void (*const functions[])(unsigned) = {zero, one, two, three};

	atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
	if (path >> 2)
		functions[path & 3](path >> 2);
}

ALONE static void zero(unsigned path)
{
	next(path);
	keep(&path);
}

ALONE static void one(unsigned path)
{
	next(path);
	keep(&path);
}

ALONE static void two(unsigned path)
{
	next(path);
	keep(&path);
}

ALONE static void three(unsigned path)
{
	next(path);
	keep(&path);
}

ALONE static void handle(int signal)
{
	static atomic_uint seed;

	(void)signal;
	handled++;
	zero(atomic_fetch_add(&seed, 1) * 2654435761u >> 12);
}

ALONE static void tour(unsigned path)
{
	void *block = malloc(opaque(10 + path % 100));

	keep(block);
	three(path);
	free(block);
	tours++;
}

/* A timer of CLOCK_MONOTONIC keeps to its interval, ITIMER_PROF to the kernel's ticks. */
static timer_t begin_storm(int signal)
{
	struct itimerspec interval = {{0, 100000}, {0, 100000}};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal};
	timer_t timer;

	event._sigev_un._tid = (int)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &interval, NULL))
		abort();
	return timer;
}

ALONE static void *work(void *number)
{
	unsigned seed = (unsigned)(uintptr_t)number;
	timer_t timer = begin_storm(signals[seed]);

	for (int i = 0; i < TOURS; i++) {
		seed = seed * 1664525u + 1013904223u;
		tour(seed >> 10);
	}
	timer_delete(timer);
	return NULL;
}

int main(void)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		sigaction(signals[i], &action, NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	fprintf(stderr, "truth: calls=%lu handled=%lu tours=%lu\n", calls, handled,
		tours);
	return 0;
}
