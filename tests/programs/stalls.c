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
// a join is over when the thread is, not before it and not after who waits
// expect-sql: SELECT s.started_ns + s.wait_ns >= t.started_ns + t.wall_ns,
//     s.started_ns + s.wait_ns <= w.started_ns + w.wall_ns FROM stalls s
//     JOIN threads t ON t.lane_id = s.holder_lane_id
//     JOIN threads w ON w.lane_id = s.lane_id WHERE s.kind = 'thread' => 1|1
// expect-sql: SELECT COUNT(*) FROM stall_window => 0
// expect-trust: lost_stalls => 0
#include "asleep.h"
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#define MOMENT_US 100000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER,
		       telling = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t meeting;
static int is_told;
static enum stage { START, MEETING, HELD, LOCKING, HEARING, JOINING } stage;

UNTRACED void reach(enum stage next)
{
	__atomic_store_n(&stage, next, __ATOMIC_SEQ_CST);
}

UNTRACED int has_reached(enum stage wanted)
{
	return __atomic_load_n(&stage, __ATOMIC_SEQ_CST) >= wanted;
}

/* From here on main waits, for the moment and longer. */
UNTRACED void let_main_wait(enum stage wanted)
{
	while (!has_reached(wanted) || !is_asleep(getpid()))
		sched_yield();
	usleep(MOMENT_US);
}

__attribute__((noinline)) static void meet(int late)
{
	if (late)
		let_main_wait(MEETING);
	else
		reach(MEETING);
	pthread_barrier_wait(&meeting);
}

__attribute__((noinline)) static void hold(void)
{
	pthread_mutex_lock(&lock);
	reach(HELD);
	let_main_wait(LOCKING);
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void try_it(void)
{
	reach(LOCKING);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void tell(void)
{
	let_main_wait(HEARING);
	pthread_mutex_lock(&telling);
	is_told = 1;
	pthread_cond_signal(&told);
	pthread_mutex_unlock(&telling);
}

__attribute__((noinline)) static void hear(void)
{
	pthread_mutex_lock(&telling);
	reach(HEARING);
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
	let_main_wait(JOINING);
	poll(NULL, 0, MOMENT_US / 1000);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&meeting, NULL, 2);
	pthread_create(&thread, NULL, work, NULL);
	meet(0);
	while (!has_reached(HELD))
		sched_yield();
	try_it();
	hear();
	reach(JOINING);
	pthread_join(thread, NULL);
	return 0;
}
