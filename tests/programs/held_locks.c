/* SPDX-License-Identifier: MIT */
/* Locks held for a known time, by 2 to 64 threads, and two threads that take turns by a
 * condition: what waiting took is on the path that waited, as the threads' own clocks
 * told, and nowhere else. They told of the calls and what is around them, where a thread
 * may have to wait for a CPU: that is their caller's own. */
// flags: -pthread
// variants: once
// expect-sql: SELECT SUM(c.total_ns) BETWEEN $lock * 0.98 - 20000 * $lockers - f.self_ns AND
//     $lock * 1.001 FROM call_paths c JOIN call_paths p ON p.path_id = c.parent_path_id JOIN
//     functions f ON f.name = 'locks' WHERE c.name = 'pthread_mutex_lock' AND p.name = 'locks' => 1
// expect-sql: SELECT SUM(p.self_blocked_ns + p.self_ready_ns) BETWEEN $lock * 0.98 - 20000 *
//     $lockers - f.self_ns AND $lock * 1.001 FROM call_paths p JOIN functions f ON f.name =
//     'locks' WHERE p.name = 'pthread_mutex_lock' => 1
// expect-sql: SELECT SUM(c.total_ns) BETWEEN $turns * 0.98 - 20000 * $turn_count - f.self_ns AND
//     $turns * 1.001 FROM call_paths c JOIN functions f ON f.name = 'take_turn' WHERE c.name =
//     'pthread_cond_wait' => 1
// expect-sql: SELECT SUM(c.calls) BETWEEN $lockers * 0.9 AND $lockers FROM call_paths c JOIN
//     call_paths p ON p.path_id = c.parent_path_id WHERE c.name = 'pthread_mutex_lock' AND
//     p.name = 'locks' => 1
// expect-sql: SELECT SUM(self_blocked_ns) < $lock * 0.02 FROM functions WHERE name = 'locks' =>
//     1
#include "asleep.h"
#include "truth.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define HELD_NS 40000000
#define TURN_NS 3000000
#define TURNS 30

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER,
		       turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static atomic_int tids[64];
static int whose;
static long lock_ns, turns_ns, lock_count, turn_count;

UNTRACED long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

ALONE static void hold(long ns)
{
	struct timespec time = {0, ns};

	nanosleep(&time, NULL);
}

ALONE static void locks(void)
{
	long start = now_ns(), end;

	pthread_mutex_lock(&mutex);
	end = now_ns();
	__atomic_fetch_add(&lock_ns, end - start, __ATOMIC_RELAXED);
	__atomic_fetch_add(&lock_count, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&mutex);
}

ALONE static void *locker(void *number)
{
	tids[(uintptr_t)number] = gettid();
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 3; i++) {
		pthread_barrier_wait(&barrier);
		locks();
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

/* All others have come for the lock, which takes 64 of them longer than that at times. */
UNTRACED void hold_until_all_wait(int count)
{
	hold(HELD_NS);
	for (int i = 0; i < count; i++)
		while (!is_asleep(tids[i]))
			hold(1000000);
}

ALONE static void hold_against(int count)
{
	pthread_t threads[64];

	pthread_barrier_init(&barrier, NULL, (unsigned)count + 1);
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, locker, (void *)(uintptr_t)i);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&mutex);
		pthread_barrier_wait(&barrier);
		hold_until_all_wait(count);
		pthread_mutex_unlock(&mutex);
		pthread_barrier_wait(&barrier);
	}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
}

ALONE static void take_turn(int own)
{
	long start;

	while (whose != own) {
		start = now_ns();
		pthread_cond_wait(&changed, &turn);
		turns_ns += now_ns() - start;
		turn_count++;
	}
	hold(TURN_NS);
	whose = !own;
	pthread_cond_signal(&changed);
}

ALONE static void *player(void *own)
{
	pthread_mutex_lock(&turn);
	for (int i = 0; i < TURNS; i++)
		take_turn(own != NULL);
	pthread_mutex_unlock(&turn);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (int count = 1; count < 64; count = count * 2 + 1)
		hold_against(count);
	pthread_create(&threads[0], NULL, player, NULL);
	pthread_create(&threads[1], NULL, player, &whose);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	fprintf(stderr, "truth: lock=%ld lockers=%ld turns=%ld turn_count=%ld\n", lock_ns,
		lock_count, turns_ns, turn_count);
	return 0;
}
