/* SPDX-License-Identifier: MIT */
/* More waits for another thread than there is room for: those of some windows of time are
 * kept, of both threads, and the long one wherever it lies. */
// flags: -pthread
// expect-sql: SELECT COUNT(*), period_ns / window_ns >= 2 FROM stall_window => 1|1
// expect-sql: SELECT COUNT(*) FROM (SELECT lane_id FROM stalls GROUP BY lane_id HAVING
//     COUNT(*) > 8191) => 0
// each touches a window
// expect-sql: SELECT COUNT(*) FROM stalls s, stall_window w WHERE CAST((s.started_ns -
//     w.first_ns) / w.period_ns AS INTEGER) * w.period_ns + w.first_ns + w.window_ns <
//     s.started_ns - 10 AND CAST((s.started_ns - w.first_ns) / w.period_ns + 1 AS INTEGER) *
//     w.period_ns + w.first_ns > s.started_ns + s.wait_ns + 10 => 0
// both sides of the game are there, by the thousand or, of fast machines, by the hundred
// expect-sql: SELECT COUNT(DISTINCT waiter), COUNT(*) > 200 FROM stalls WHERE kind =
//     'semaphore' => 2|1
// expect-sql: SELECT COUNT(*) FROM stalls WHERE kind = 'thread' AND wait_ns > 100000000 => 1
// expect-sql: SELECT SUM(wait_count) > 16382 FROM signals => 1
// expect-trust: lost_stalls => 0
#include "truth.h"
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#define TURNS 20000

static sem_t to[2];

__attribute__((noinline)) static void serve(void)
{
	sem_post(&to[1]);
	sem_wait(&to[0]);
}

__attribute__((noinline)) static void give_back(void)
{
	sem_wait(&to[1]);
	sem_post(&to[0]);
}

static void *play(void *unused)
{
	(void)unused;
	for (int i = 0; i < TURNS; i++)
		give_back();
	usleep(200000);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	sem_init(&to[0], 0, 0);
	sem_init(&to[1], 0, 0);
	pthread_create(&thread, NULL, play, NULL);
	for (int i = 0; i < TURNS; i++)
		serve();
	pthread_join(thread, NULL);
	return 0;
}
