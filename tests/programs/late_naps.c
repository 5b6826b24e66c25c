/* SPDX-License-Identifier: MIT */
/* How long a thread waited for a CPU after its sleeps is known of all of them together. It
 * is divided among them, and each path's error holds the truth: here naps that end when
 * they were asked to, and naps that end while another thread has the CPU. What each was
 * late by its own clock is printed. */
// flags: -pthread
// variants: once
// expect-sql: SELECT p.name, w.late <= p.ready_ns + p.self_ready_error_ns +
//     c.self_ready_error_ns + $slack, p.ready_ns <= w.late + p.self_ready_error_ns +
//     c.self_ready_error_ns + $slack + $naps FROM call_paths c JOIN call_paths p ON p.path_id =
//     c.parent_path_id JOIN (SELECT 'calm_nap' AS name, $calm AS late UNION ALL SELECT
//     'busy_nap', $busy) w ON w.name = p.name WHERE c.name = 'clock_nanosleep' ORDER BY 1 =>
//     busy_nap|1|1; calm_nap|1|1
// expect-sql: SELECT SUM(self_ready_error_ns) > 0 FROM functions WHERE name =
//     'clock_nanosleep' => 1
// expect-sql: SELECT COUNT(*) FROM call_paths WHERE self_ready_error_ns > self_ready_ns +
//     self_blocked_ns => 0
#include "truth.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define NAP_NS 2000000
#define NAPS 40
/* What a timer, hooks and the two readings of a clock take of a nap. And a thread that loses
 * its CPU between the first of them and its sleep sleeps so much less. */
#define SLACK_NS 250000

static volatile int is_busy, is_done;
static volatile unsigned long sum;
static long calm_ns, busy_ns;

UNTRACED long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* Until then; returns how late it was. */
UNTRACED long sleep_until(long long end_ns)
{
	struct timespec end = {end_ns / 1000000000, end_ns % 1000000000};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
	return (long)(now_ns() - end_ns);
}

ALONE static void calm_nap(void)
{
	calm_ns += sleep_until(now_ns() + NAP_NS);
}

ALONE static void busy_nap(void)
{
	busy_ns += sleep_until(now_ns() + NAP_NS);
}

/* All on one processor, where this thread is the last to be let in. */
static void *sleeper(void *unused)
{
	(void)unused;
	setpriority(PRIO_PROCESS, (id_t)gettid(), 19);
	for (int i = 0; i < NAPS; i++)
		calm_nap();
	is_busy = 1;
	for (int i = 0; i < NAPS; i++)
		busy_nap();
	is_done = 1;
	return NULL;
}

ALONE static void spin(void)
{
	while (!is_done)
		sum++;
}

int main(void)
{
	pthread_t thread;
	cpu_set_t cpus, one;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &cpus)) {
			CPU_SET(i, &one);
			break;
		}
	sched_setaffinity(0, sizeof(one), &one);
	pthread_create(&thread, NULL, sleeper, NULL);
	while (!is_busy)
		usleep(1000);
	spin();
	pthread_join(thread, NULL);
	fprintf(stderr, "truth: calm=%ld busy=%ld slack=%d naps=%d\n", calm_ns, busy_ns,
		NAPS * SLACK_NS, NAPS * NAP_NS);
	return 0;
}
