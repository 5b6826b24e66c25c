/* SPDX-License-Identifier: MIT */
/* What was slept, computed and waited for between snapshots is between them, on its path: of
 * one thread by turns, and of one that sleeps through all of them, whose wait is not over at
 * any. Snapshots of the program's own, and in between of the collector's. */
// flags: -pthread
// settings: PROFSHIM_SNAPSHOT_EVERY=20ms
// variants: once
// expect-sql: WITH at AS (SELECT s.label, c.name AS what, f.name AS leaf, p.* FROM snapshots s
//     JOIN snapshot_paths p USING (run_id, snapshot_id) JOIN call_paths l USING (path_id) JOIN
//     functions f USING (function_id) JOIN call_paths c ON c.path_id = l.parent_path_id), d AS
//     (SELECT b.label, b.what, b.leaf, b.self_blocked_ns + b.self_ready_ns -
//     IFNULL(a.self_blocked_ns + a.self_ready_ns, 0) AS off FROM at b LEFT JOIN at a ON
//     a.path_id = b.path_id AND a.label = CASE b.label WHEN 'slept' THEN 'began' WHEN 'computed'
//     THEN 'slept' ELSE 'computed' END WHERE b.label IN
//     ('slept', 'computed', 'locked')) SELECT label, what, leaf, off
//     BETWEEN $wait * CASE what WHEN 'naps' THEN 0.98 ELSE 0.3 END AND $wait * 5 FROM d WHERE leaf IN ('nanosleep', 'pthread_mutex_lock') AND
//     off > 10000000 AND what IN ('naps', 'locks') ORDER BY 1 => locked|locks|pthread_mutex_lock|1;
//     slept|naps|nanosleep|1
// expect-sql: WITH at AS (SELECT s.label, s.taken_by, s.time_ns AS at_ns, p.self_blocked_ns +
//     p.self_ready_ns AS off FROM snapshots s JOIN snapshot_paths p USING (run_id, snapshot_id)
//     JOIN call_paths l USING (path_id) JOIN call_paths c ON c.path_id = l.parent_path_id WHERE
//     l.name = 'nanosleep' AND c.name = 'sleeps_on'), d AS (SELECT b.taken_by, b.off - a.off AS
//     off, b.at_ns - a.at_ns AS ns, LAG(b.off) OVER (PARTITION BY b.taken_by ORDER BY b.at_ns) -
//     a.off AS before FROM at b JOIN at a ON a.label = 'began' AND b.at_ns > a.at_ns) SELECT
//     taken_by, COUNT(*) >= 3, MIN(off <= ns * 1.02 + 2 * $longest), MIN(CASE taken_by WHEN
//     'call' THEN off >= ns * 0.98 - 2 * $longest ELSE off > IFNULL(before, -1e9) END) FROM d GROUP
//     BY 1 ORDER BY 1 => call|1|1|1; interval|1|1|1
// expect-trust: switches_unseen => 0
#include "asleep.h"
#include "profshim.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#define WAIT_NS 60000000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static int sleeper_tid;
static long longest_ns;

UNTRACED void rest(long ns)
{
	struct timespec time = {ns / 1000000000, ns % 1000000000};

	nanosleep(&time, NULL);
}

UNTRACED long cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

ALONE static void naps(void)
{
	rest(WAIT_NS);
}

ALONE static void computes(void)
{
	long end = cpu_ns() + WAIT_NS;

	while (cpu_ns() < end)
		;
}

ALONE static void locks(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void *holds(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_barrier_wait(&barrier);
	rest(WAIT_NS + WAIT_NS / 10); /* until the other one is there */
	pthread_mutex_unlock(&mutex);
	return unused;
}

UNTRACED void wake(int number)
{
	(void)number;
}

/* Until main is done, however long that takes. */
ALONE static void sleeps_on(void)
{
	rest(1000L * WAIT_NS);
}

static void *sleeper(void *unused)
{
	sleeper_tid = (int)syscall(SYS_gettid);
	pthread_barrier_wait(&barrier);
	sleeps_on();
	return unused;
}

UNTRACED long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Its time, and how long each had slept until then, are as far apart as the call is long.
 * The collector may lose its CPU between the two: of its snapshots each has more. */
UNTRACED void snapshot(const char *label)
{
	long ns = -now_ns();

	profshim_snapshot(label);
	ns += now_ns();
	if (ns > longest_ns)
		longest_ns = ns;
}

int main(void)
{
	pthread_t threads[2];

	signal(SIGUSR1, wake);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&threads[0], NULL, sleeper, NULL);
	pthread_barrier_wait(&barrier);
	while (!is_asleep(sleeper_tid))
		rest(WAIT_NS / 60);
	snapshot("began");
	naps();
	snapshot("slept");
	computes();
	snapshot("computed");
	pthread_create(&threads[1], NULL, holds, NULL);
	pthread_barrier_wait(&barrier);
	locks();
	snapshot("locked");
	pthread_join(threads[1], NULL);
	pthread_kill(threads[0], SIGUSR1);
	pthread_join(threads[0], NULL);
	fprintf(stderr, "truth: wait=%d longest=%ld\n", WAIT_NS, longest_ns);
	return 0;
}
