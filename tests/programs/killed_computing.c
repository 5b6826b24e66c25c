/* SPDX-License-Identifier: MIT */
/* Threads that compute on one processor, and are killed: what nobody asked them about is
 * computing and waiting for the processor, and no sleep. The one that slept did. */
// flags: -pthread
// variants: once
// signal: 9
// expect-sql: SELECT SUM(self_blocked_ns) < SUM(self_ns) * 0.1, SUM(self_cpu_ns) > 0, SUM(self_ns)
//     > $life * 3 * 0.9 FROM call_paths WHERE name = 'computes' => 1|1|1
// expect-sql: SELECT ready_ns + blocked_ns > total_ns * 0.9, blocked_ns > total_ns * 0.4 FROM
//     call_paths WHERE name = 'sleeps' => 1|1
#include "one_cpu.h"
#include "truth.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define LIFE_NS 900000000
#define THREADS 3

static volatile unsigned long sum;
static atomic_int at_work;

UNTRACED void rest(long ns)
{
	struct timespec time = {ns / 1000000000, ns % 1000000000};

	nanosleep(&time, NULL);
}

ALONE static void computes(void)
{
	at_work++;
	for (;;)
		sum++;
}

static void *computer(void *unused)
{
	computes();
	return unused;
}

ALONE static void sleeps(void)
{
	at_work++;
	rest(60L * 1000000000);
}

static void *sleeper(void *unused)
{
	sleeps();
	return unused;
}

int main(void)
{
	pthread_t thread;

	stay_on_one();
	pthread_create(&thread, NULL, sleeper, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, computer, NULL);
	while (at_work < THREADS + 1)
		rest(1000000);
	rest(LIFE_NS);
	fprintf(stderr, "truth: life=%d\n", LIFE_NS);
	kill(getpid(), SIGKILL);
	return 0;
}
