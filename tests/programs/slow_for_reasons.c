/* SPDX-License-Identifier: MIT */
/*
 * A function that is called 40,000 times, and is slow four times, for another reason each:
 * it waits for a lock, allocates very much, does what it never does otherwise, and calls a
 * child far more often. Recorded by why.py, which knows which call is which: it prints them.
 * "killed": it is killed before the last of them. "hot": there are many more calls at
 * first, one right after the other, so that nobody would time them all, and some that are
 * slow, but less so. "marks": each call is a step and in a region.
 */
#include "asleep.h"
#include "profshim.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define CALLS 40000
/* Far longer than what a busy machine makes of other calls. */
#define SLOW_NS 120000000
#define HOT_CALLS 300000
#define EARLY_NS 2000000000

enum reason { NONE, WAITS, ALLOCATES, REBUILDS, REPEATS, EARLY, HOT };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_wanted, is_held, is_waited_for;
static volatile unsigned sink;

UNTRACED long cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

UNTRACED void compute(unsigned steps)
{
	for (unsigned i = 0; i < steps; i++)
		sink = sink * 1103515245 + 12345;
}

UNTRACED void tell(int *what)
{
	__atomic_store_n(what, 1, __ATOMIC_SEQ_CST);
}

UNTRACED int is_told(const int *what)
{
	return __atomic_load_n(what, __ATOMIC_SEQ_CST);
}

/* Has the lock when it is asked to, and for a while after main sleeps for it. */
static void *hold(void *unused)
{
	struct timespec time = {0, SLOW_NS};

	while (!is_told(&is_wanted))
		usleep(1000);
	pthread_mutex_lock(&mutex);
	tell(&is_held);
	while (!is_told(&is_waited_for) || !is_asleep(getpid()))
		sched_yield();
	nanosleep(&time, NULL);
	pthread_mutex_unlock(&mutex);
	return unused;
}

ALONE static void enter(enum reason reason)
{
	if (reason == WAITS)
		tell(&is_waited_for);
	pthread_mutex_lock(&mutex);
	compute(50);
	pthread_mutex_unlock(&mutex);
}

/* Two small blocks, or so many that it takes SLOW_NS. */
ALONE static void fill(enum reason reason)
{
	long end = cpu_ns() + SLOW_NS;
	void **last = NULL;
	unsigned count = 0;

	do {
		void **block = malloc(opaque(reason == ALLOCATES ? 4096 : 64));

		memset(block, 1, 64);
		*block = last;
		last = block;
		keep(last);
	} while (++count < 2 || (reason == ALLOCATES && cpu_ns() < end));
	while (last) {
		void **next = *last;

		free(last);
		last = next;
	}
}

UNTRACED void compute_for(long ns)
{
	long end = cpu_ns() + ns;

	while (cpu_ns() < end)
		compute(1000);
}

ALONE static void sort_index(void)
{
	compute_for(SLOW_NS);
}

ALONE static void warm_up(void)
{
	compute_for(SLOW_NS / 24);
}

ALONE static void rebuild(void)
{
	compute(100);
	sort_index();
}

ALONE static void look_up(void)
{
	compute(200);
}

ALONE static void answer(enum reason reason)
{
	unsigned count = reason == REPEATS ? 500000 : reason == HOT ? 1 : 4;

	for (unsigned i = 0; i < count; i++)
		look_up();
}

ALONE static void handle(enum reason reason)
{
	if (reason != HOT) {
		enter(reason);
		fill(reason);
	}
	if (reason == EARLY)
		warm_up();
	if (reason == REBUILDS)
		rebuild();
	answer(reason);
}

/* A server's time until the next request. */
UNTRACED void idle(void)
{
	struct timespec time = {0, 50000};

	nanosleep(&time, NULL);
}

/* Long enough for the recorder to see that it is not hot any more, and to find it: that
 * hangs on what the thread computes, not on the time that passes on a busy machine. */
static void be_hot(void)
{
	long end;

	for (unsigned i = 1; i <= HOT_CALLS; i++)
		handle(HOT);
	end = cpu_ns() + EARLY_NS;
	for (unsigned i = 1; cpu_ns() < end; i++) {
		handle(i % 20 ? NONE : EARLY);
		idle();
	}
}

int main(int argc, char **argv)
{
	static const char *const words[] = {"", "waits", "allocates", "rebuilds",
					    "repeats"};
	pthread_t thread;

	int is_hot = argc > 1 && !strcmp(argv[1], "hot");
	int has_marks = argc > 1 && !strcmp(argv[1], "marks");

	if (is_hot)
		be_hot();
	pthread_create(&thread, NULL, hold, NULL);
	for (unsigned i = 1; i <= CALLS; i++) {
		enum reason reason = i % 10000 == 5000 ? 1 + i / 10000 : NONE;

		if (argc > 1 && !is_hot && !has_marks && i == CALLS - 10000) {
			fflush(stdout);
			raise(SIGKILL);
		}
		/* not within the call, and nothing that is recorded */
		if (reason == WAITS)
			tell(&is_wanted);
		while (reason == WAITS && !is_told(&is_held))
			sched_yield();
		if (has_marks) {
			profshim_step("request");
			profshim_region_begin("server", "serve");
		}
		handle(reason);
		if (has_marks)
			profshim_region_end("server", "serve");
		if (reason == WAITS) /* with one thread it is known what it is ready */
			pthread_join(thread, NULL);
		if (reason)
			printf("%s=%u\n", words[reason], i);
	}
	if (has_marks)
		profshim_step("request");
	return 0;
}
