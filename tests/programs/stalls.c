/* SPDX-License-Identifier: MIT */
/* Waits for other threads, one by one: for a lock, at a barrier, for a signal and for a
 * thread's end, and the thread that was waited for; and long sleeps. */
// flags: -pthread
// expect-sql: SELECT kind, name, waiter, CASE WHEN kind <> 'mutex' THEN holder
//     END, COUNT(*) FROM stalls WHERE
//     kind NOT IN ('sleep', 'call') GROUP BY 1, 2, 3, 4 ORDER BY 1, 3 => barrier|meeting|meet|meet|1;
//     condition|told|hear|tell|1; mutex|lock|try_it||1; thread|[end of a
//     thread]|main|work|1
// the holder of each is the other thread
// expect-sql: SELECT COUNT(*) FROM stalls s JOIN threads t ON t.lane_id = s.holder_lane_id
//     WHERE s.lane_id <> s.holder_lane_id => 4
// where it had taken the lock, and that it slept with it
// expect-sql: SELECT t.name, s.wait_ns > 50000000 FROM stalls s JOIN call_paths t ON t.path_id
//     = s.taken_path_id WHERE s.kind = 'mutex' => hold|1
// what slept for a tenth of a second, each by itself, and had nobody to wait for
// expect-sql: SELECT kind, waiter, name, holder, COUNT(*) FROM stalls
//     WHERE kind IN ('sleep', 'call') AND wait_ns >= 99000000 GROUP BY 1, 2, 3, 4 ORDER BY 1 =>
//     call|poll|||1; sleep|usleep|||4
// a join is over when the thread is
// expect-sql: SELECT ABS(s.started_ns + s.wait_ns - t.started_ns - t.wall_ns) < 30000000 FROM
//     stalls s JOIN threads t ON t.lane_id = s.holder_lane_id WHERE s.kind = 'thread' => 1
// expect-sql: SELECT COUNT(*) FROM stall_window => 0
// expect-trust: lost_stalls => 0
#include "truth.h"
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#define MOMENT_US 100000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER,
		       telling = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t meeting;
static sem_t is_held;
static int is_told;

__attribute__((noinline)) static void meet(int late)
{
	usleep(late ? MOMENT_US : 0);
	pthread_barrier_wait(&meeting);
}

__attribute__((noinline)) static void hold(void)
{
	pthread_mutex_lock(&lock);
	sem_post(&is_held);
	usleep(MOMENT_US);
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void try_it(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void tell(void)
{
	usleep(MOMENT_US);
	pthread_mutex_lock(&telling);
	is_told = 1;
	pthread_cond_signal(&told);
	pthread_mutex_unlock(&telling);
}

__attribute__((noinline)) static void hear(void)
{
	pthread_mutex_lock(&telling);
	while (!is_told)
		pthread_cond_wait(&told, &telling);
	pthread_mutex_unlock(&telling);
}

static void *work(void *unused)
{
	(void)unused;
	meet(1);
	hold();
	tell();
	usleep(MOMENT_US);
	poll(NULL, 0, MOMENT_US / 1000);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	sem_init(&is_held, 0, 0);
	pthread_barrier_init(&meeting, NULL, 2);
	pthread_create(&thread, NULL, work, NULL);
	meet(0);
	while (sem_trywait(&is_held) != 0)
		usleep(1000);
	try_it();
	hear();
	pthread_join(thread, NULL);
	return 0;
}
