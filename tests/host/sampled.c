/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program whose CPU time is in two functions, three parts in one and one
 *                in the other, called often by a third, under conditions that samples may
 *                not like. It works until it has had 0.4 s of CPU time; with BRIEF in
 *                the environment, less.
 *                usage: sampled CONDITION; CONDITION: plain; closed: all descriptors are
 *                closed again and again; full: there is no free descriptor; locked: no
 *                memory may be locked; forks: children do the work; threads: 40 threads
 *                do; filtered: a filter of system calls kills who asks for samples;
 *                switched: after a while it wakes and waits for another thread all the
 *                time; turns: longer, from the beginning; slept: calls that compute and then sleep, which no hook sees;
 *                told: until its input ends, too; counted: so much work, whatever it takes
 * Must not:      print anything that differs from run to run.
 * See also:      samples.py
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "filters.h"

#define ALONE __attribute__((noinline, noclone))
#define UNHOOKED __attribute__((no_instrument_function))

/* Of each thread: one that two processors write costs both functions the same. */
static __thread volatile uint64_t kept;

/* How much of it: a build may have more. */
#ifndef WORK
#define WORK 1
#endif

UNHOOKED static inline __attribute__((always_inline)) void spin(int steps)
{
	uint64_t value = kept | 1;

	for (int i = 0; i < steps * WORK; i++) {
		value = value * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(value));
	}
	kept = value;
}

ALONE static void three_parts(void)
{
	spin(300);
}

ALONE static void one_part(void)
{
	spin(100);
}

ALONE static void both(void)
{
	three_parts();
	one_part();
}

UNHOOKED static double computed_s(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

ALONE static void work(clockid_t clock, double seconds, int closes)
{
	double end = computed_s(clock) + (getenv("BRIEF") ? seconds / 8 : seconds);

	while (computed_s(clock) < end) {
		for (int i = 0; i < 2000; i++)
			both();
		if (closes)
			close_range(3, ~0u, 0);
	}
}

static void *work_in_thread(void *none)
{
	work(CLOCK_THREAD_CPUTIME_ID, 0.04, 0);
	return none;
}

static void in_threads(void)
{
	pthread_t threads[40];

	for (int i = 0; i < 40; i++)
		pthread_create(&threads[i], NULL, work_in_thread, NULL);
	for (int i = 0; i < 40; i++)
		pthread_join(threads[i], NULL);
}

static void in_children(void)
{
	work(CLOCK_THREAD_CPUTIME_ID, 0.1, 0);
	for (int i = 0; i < 4; i++) {
		if (fork() == 0) {
			work(CLOCK_THREAD_CPUTIME_ID, 0.2, 0);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

static int forth[2], back[2];

UNHOOKED static void *answer(void *none)
{
	char byte;

	while (read(forth[0], &byte, 1) == 1)
		if (write(back[1], &byte, 1) != 1)
			break;
	return none;
}

/* More than 7,000 switches for a second of CPU time. */
ALONE static void work_in_turns(double seconds)
{
	double end = computed_s(CLOCK_THREAD_CPUTIME_ID) +
		     (getenv("BRIEF") ? seconds / 8 : seconds);
	pthread_t other;
	char byte = 0;

	if (pipe(forth) || pipe(back) || pthread_create(&other, NULL, answer, NULL))
		exit(4);
	while (computed_s(CLOCK_THREAD_CPUTIME_ID) < end) {
		for (int i = 0; i < 100; i++)
			both();
		if (write(forth[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			exit(4);
	}
	close(forth[1]);
	pthread_join(other, NULL);
	for (int i = 0; i < 2; i++)
		close(back[i]);
	close(forth[0]);
}

static void work_until_told(void)
{
	struct pollfd input = {STDIN_FILENO, POLLIN, 0};

	while (poll(&input, 1, 0) == 0)
		work(CLOCK_THREAD_CPUTIME_ID, 0.02, 0);
}

static void prepare(const char *condition)
{
	static const int calls[] = {SYS_perf_event_open};
	const struct rlimit none = {0, 0};

	if (!strcmp(condition, "full"))
		while (open("/dev/null", O_RDONLY) >= 0)
			;
	if (!strcmp(condition, "locked"))
		setrlimit(RLIMIT_MEMLOCK, &none);
	if (!strcmp(condition, "filtered") &&
	    filters_install(calls, 1, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS, 0))
		exit(3);
}

/* A sample has come, and the thread was switched out, before the next hook. */
ALONE static void compute_and_sleep(void)
{
	struct timespec time = {0, 4000000};
	double end = computed_s(CLOCK_THREAD_CPUTIME_ID) + 0.003;
	register long *unused __asm__("r10") = NULL;
	long number = SYS_nanosleep;

	while (computed_s(CLOCK_THREAD_CPUTIME_ID) < end)
		spin(1000);
	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(&time), "S"(NULL), "r"(unused)
			 : "rcx", "r11", "memory");
}

int main(int argc, char **argv)
{
	const char *condition = argc > 1 ? argv[1] : "plain";
	int lowest;

	prepare(condition);
	if (!strcmp(condition, "told"))
		work_until_told();
	if (!strcmp(condition, "forks"))
		in_children();
	else if (!strcmp(condition, "threads"))
		in_threads();
	else if (!strcmp(condition, "slept")) {
		work(CLOCK_THREAD_CPUTIME_ID, 0.1, 0);
		for (int i = 0; i < 50; i++)
			compute_and_sleep();
	} else if (!strcmp(condition, "switched")) {
		work(CLOCK_THREAD_CPUTIME_ID, 0.04, 0);
		work_in_turns(0.3);
	} else if (!strcmp(condition, "turns")) {
		work_in_turns(0.6);
	} else if (!strcmp(condition, "counted")) {
		for (int i = 0; i < 600000; i++)
			both();
	} else
		work(CLOCK_THREAD_CPUTIME_ID, 0.4, !strcmp(condition, "closed"));
	/* nothing of the recorder's is open */
	lowest = dup(0);
	printf("%d\n", lowest);
	return 0;
}
