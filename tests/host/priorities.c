/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program with two threads of real time on one CPU: one works all the
 *                time, the other, of higher priority, interrupts it wherever it is, and
 *                does the same work. Who of them waits without sleeping for what the
 *                other has waits for ever.
 *                usage: priorities stacks|blocks|snapshots|in_regions COUNT; COUNT: calls of the
 *                work by the one of higher priority.
 *                Ends with 3 where it may have no such threads.
 * Must not:      take the machine with it: a thread that does not sleep for 2 s is killed,
 *                and its process.
 * See also:      priorities.py
 */
#include "profshim.h"
#include "../programs/truth.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <ucontext.h>

#define UNHOOKED __attribute__((no_instrument_function))
#define NAMES 300

static volatile unsigned sum;
static volatile int has_begun, is_over;
static char names[2 * NAMES][16];
static char stack[2][64 << 10];

ALONE static void stacks(unsigned number, int who)
{
	static ucontext_t contexts[2];

	contexts[who].uc_stack.ss_sp = stack[who];
	contexts[who].uc_stack.ss_size = sizeof(stack[who]);
	makecontext(&contexts[who], (void (*)(void))stacks, 0);
	sum += number;
}

/* What the one has allocated the other frees, too. */
ALONE static void blocks(unsigned number, int who)
{
	static void *latest;
	void *memory = who ? NULL : malloc(opaque(16));

	keep(memory);
	free(__atomic_exchange_n(&latest, memory, __ATOMIC_ACQ_REL));
	sum += number;
}

ALONE static void snapshots(unsigned number, int who)
{
	sum += number;
	if (number < 1500)
		profshim_snapshot(who ? "high" : "low");
}

ALONE static void in_regions(unsigned number, int who)
{
	const char *name = names[who * NAMES + number % NAMES];

	profshim_region_begin("test", name);
	sum += number;
	profshim_region_end("test", name);
}

static void (*work)(unsigned number, int who);
static unsigned count;

static void nap(long ns)
{
	struct timespec duration = {.tv_nsec = ns};

	nanosleep(&duration, NULL);
}

/* Sleeps now and then, or the kernel takes it for one that runs away. */
UNHOOKED static void *low(void *argument)
{
	has_begun = 1;
	for (unsigned i = 0; !is_over; i++) {
		work(i, 0);
		if (i % 4096 == 0)
			nap(10000);
	}
	return argument;
}

UNHOOKED static void *high(void *argument)
{
	while (!has_begun)
		nap(1000000);
	for (unsigned i = 0; i < count; i++) {
		work(i, 1);
		nap(20000 + i % 64 * 500);
	}
	is_over = 1;
	return argument;
}

UNHOOKED static void start(pthread_t *thread, void *(*function)(void *), int priority)
{
	struct sched_param param = {.sched_priority = priority};
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
	pthread_attr_setschedparam(&attributes, &param);
	if (pthread_create(thread, &attributes, function, NULL) != 0)
		exit(3);
}

/* All threads on the last CPU that the process may use. */
UNHOOKED static void bind_to_one(void)
{
	cpu_set_t all, one;
	int last = 0;

	sched_getaffinity(0, sizeof(all), &all);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all))
			last = i;
	CPU_ZERO(&one);
	CPU_SET(last, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

UNHOOKED int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*work)(unsigned number, int who);
	} works[] = {{"stacks", stacks},
		     {"blocks", blocks},
		     {"snapshots", snapshots},
		     {"in_regions", in_regions}};
	const struct rlimit two_seconds = {2000000, 2000000};
	pthread_t threads[2];

	for (unsigned i = 0; i < sizeof(works) / sizeof(*works); i++)
		if (argc == 3 && !strcmp(argv[1], works[i].name))
			work = works[i].work;
	if (!work)
		return 2;
	count = (unsigned)atoi(argv[2]);
	for (unsigned i = 0; i < 2 * NAMES; i++)
		snprintf(names[i], sizeof(names[i]), "name_%u", i);
	setrlimit(RLIMIT_RTTIME, &two_seconds);
	bind_to_one();
	start(&threads[0], high, 20);
	start(&threads[1], low, 10);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	puts("done");
	return 0;
}
