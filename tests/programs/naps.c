/* SPDX-License-Identifier: MIT */
/* Time without a CPU is on the path that slept, and nowhere else: functions that sleep,
 * that compute, that do both, in two threads; one that sleeps when the process ends; in a
 * child. What they slept at least is known; on a busy machine they also wait for a CPU,
 * which with several threads is an estimate. */
// flags: -pthread
// variants: once
// expect-sql: SELECT p.name, SUM(c.self_blocked_ns + c.self_ready_ns) >= w.least,
//     SUM(c.self_blocked_ns) * 2 > w.least FROM call_paths c JOIN call_paths p ON p.path_id =
//     c.parent_path_id JOIN (SELECT 'nap' AS name, $nap AS least UNION ALL SELECT 'long_nap',
//     $long UNION ALL SELECT 'child_nap', $child) w ON w.name = p.name WHERE c.name =
//     'nanosleep' AND c.kind = 'wait' GROUP BY p.name ORDER BY p.name =>
//     child_nap|1|1; long_nap|1|1; nap|1|1
// expect-sql: SELECT SUM(self_blocked_ns) * 10 < $nap FROM functions WHERE name IN ('compute',
//     'step', 'mixed', 'nap') => 1
// expect-sql: SELECT p.name, SUM(n.calls) FROM call_paths n JOIN call_paths c ON c.path_id =
//     n.parent_path_id JOIN call_paths p ON p.path_id = c.parent_path_id WHERE n.name =
//     'nanosleep' AND c.name = 'nap' GROUP BY 1 ORDER BY 1 => main|1; mixed|10; sleeper|10
// expect-sql: SELECT COUNT(*) FROM call_paths WHERE cpu_ns + ready_ns + blocked_ns <> total_ns
//     OR self_cpu_ns + self_ready_ns + self_blocked_ns <> self_ns OR self_cpu_ns < 0 => 0
// expect-sql: SELECT COUNT(*) FROM threads WHERE cpu_ns + ready_ns + blocked_ns = wall_ns => 4
// expect-sql: SELECT blocked_ns >= $forever FROM call_paths WHERE name = 'sleep_on' => 1
// expect-sql: SELECT name, kind, calls FROM call_paths WHERE name = 'pause' => pause|wait|1
// expect-trust: switches_unseen => 0
// expect-trust: unsplit_processes => 0
#include "truth.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAP_NS 3000000
#define LONG_NAP_NS 120000000
#define NAPS 10

static volatile unsigned long sum;

ALONE static void nap(long ns)
{
	struct timespec time = {0, ns};

	nanosleep(&time, NULL);
}

ALONE static void long_nap(void)
{
	struct timespec time = {0, LONG_NAP_NS};

	nanosleep(&time, NULL);
}

ALONE static void child_nap(void)
{
	struct timespec time = {0, NAP_NS};

	nanosleep(&time, NULL);
}

ALONE static void step(unsigned long i)
{
	sum += i;
}

ALONE static void compute(void)
{
	for (unsigned long i = 0; i < 200000; i++)
		step(i);
}

ALONE static void mixed(void)
{
	for (int i = 0; i < NAPS; i++) {
		compute();
		nap(NAP_NS);
	}
}

static void *sleeper(void *unused)
{
	(void)unused;
	for (int i = 0; i < NAPS; i++)
		nap(NAP_NS);
	long_nap();
	return NULL;
}

ALONE static void sleep_on(void)
{
	for (;;)
		pause();
}

static void *sleeps_at_the_end(void *unused)
{
	(void)unused;
	sleep_on();
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	if (fork() == 0) {
		child_nap();
		_exit(0);
	}
	wait(NULL);
	pthread_create(&threads[0], NULL, sleeper, NULL);
	pthread_create(&threads[1], NULL, sleeps_at_the_end, NULL);
	mixed();
	pthread_join(threads[0], NULL);
	nap(NAP_NS);
	fprintf(stderr, "truth: nap=%d long=%d child=%d forever=%d\n",
		(2 * NAPS + 1) * NAP_NS, LONG_NAP_NS, NAP_NS, LONG_NAP_NS);
	return 0;
}
