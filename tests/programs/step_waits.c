/* SPDX-License-Identifier: MIT */
/* What threads do in steps: one sleeps in each, one computes, one waits for a lock, each for
 * a known time; of others that are short one is slow, for it sleeps and then computes. */
// flags: -pthread
// variants: once
// expect-sql: SELECT name, cpu_ns + ready_ns + blocked_ns = total_ns, (blocked_ns + ready_ns)
//     BETWEEN $wait * 5 * 0.98 AND total_ns, cpu_ns < $wait FROM step_totals WHERE process_id IS
//     NULL AND name IN ('lock', 'nap') ORDER BY 1 => lock|1|1|1; nap|1|1|1
// expect-sql: SELECT cpu_ns + ready_ns + blocked_ns = total_ns, cpu_ns BETWEEN $wait * 5 * 0.98
//     AND $wait * 5 * 1.1, blocked_ns < $wait FROM step_totals WHERE process_id IS NULL AND name
//     = 'spin' => 1|1|1
// expect-sql: SELECT s.name, COUNT(*), MIN(s.ready_ns + s.blocked_ns) >= $wait * 0.98,
//     MAX(s.cpu_ns) < $wait * 0.5 FROM steps s WHERE name IN ('lock', 'nap') GROUP BY 1 ORDER BY
//     1 => lock|5|1|1; nap|5|1|1
// expect-sql: SELECT COUNT(*) FROM steps WHERE cpu_ns + ready_ns + blocked_ns <> duration_ns OR
//     MIN(cpu_ns, ready_ns, blocked_ns) < 0 OR cpu_ns IS NULL => 0
// expect-sql: SELECT s.name, SUM(s.cpu_ns + s.ready_ns + s.blocked_ns <> s.total_ns),
//     ABS(SUM(s.ready_ns + s.blocked_ns) - t.ready_ns - t.blocked_ns) < 100 FROM step_spans s
//     JOIN step_totals t USING (series_id) WHERE t.process_id IS NULL GROUP BY 1 ORDER BY 1 =>
//     lock|0|1; nap|0|1; short|0|1; spin|0|1
// expect-sql: SELECT w.name, w.waited_in, c.name, w.ready_ns + w.blocked_ns > $wait * 4 FROM
//     step_waits w JOIN call_paths p USING (path_id) JOIN call_paths c ON c.path_id =
//     p.parent_path_id WHERE rank = 0 AND of_process_id IS NULL AND w.waited_in IN
//     ('nanosleep', 'pthread_mutex_lock') AND w.name IN ('lock', 'nap') ORDER BY 1 =>
//     lock|pthread_mutex_lock|take|1; nap|nanosleep|sleeps|1
// expect-sql: SELECT e.step_index, e.cpu_ns BETWEEN $wait * 0.98 AND $wait * 1.2, c.name,
//     w.waited_in, w.ready_ns + w.blocked_ns >= $wait * 0.98, w.blocked_ns <= e.blocked_ns FROM
//     step_extremes e JOIN step_waits w USING (series_id, rank) JOIN call_paths p USING (path_id)
//     JOIN call_paths c ON c.path_id = p.parent_path_id WHERE e.name = 'short' AND e.is_slowest
//     AND rank = 1 AND e.of_process_id IS NULL AND w.waited_in = 'nanosleep' =>
//     32|1|sleeps|nanosleep|1|1
#include "profshim.h"
#include "truth.h"
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define WAIT_NS 20000000
#define STEPS 5

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

UNTRACED void rest(long ns)
{
	struct timespec time = {0, ns};

	nanosleep(&time, NULL);
}

UNTRACED long clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

ALONE static void sleeps(void)
{
	rest(WAIT_NS);
}

ALONE static void computes(void)
{
	long end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + WAIT_NS;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

ALONE static void take(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

ALONE static void *holds(void *unused)
{
	for (int i = 0; i < STEPS; i++) {
		pthread_mutex_lock(&mutex);
		pthread_barrier_wait(&barrier);
		rest(WAIT_NS);
		pthread_mutex_unlock(&mutex);
		pthread_barrier_wait(&barrier);
	}
	return unused;
}

static void wait_for_locks(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, holds, NULL);
	for (int i = 0; i < STEPS; i++) {
		profshim_step("lock");
		pthread_barrier_wait(&barrier);
		take();
		pthread_barrier_wait(&barrier);
	}
	profshim_step("lock");
	pthread_join(thread, NULL);
}

int main(void)
{
	for (int i = 0; i < STEPS; i++) {
		profshim_step("nap");
		sleeps();
	}
	profshim_step("nap");
	for (int i = 0; i < STEPS; i++) {
		profshim_step("spin");
		computes();
	}
	profshim_step("spin");
	wait_for_locks();
	for (int i = 0; i < 100; i++) {
		profshim_step("short");
		if (i == 31) {
			sleeps();
			computes();
		}
	}
	profshim_step("short");
	fprintf(stderr, "truth: wait=%d\n", WAIT_NS);
	return 0;
}
