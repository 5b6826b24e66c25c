/* SPDX-License-Identifier: MIT */
/* Whose a lock is that does not say so by itself: of readers one that reads, of spin locks
 * who spins not; of mutexes with priorities or robust ones; who came last to a barrier; which
 * thread it was that another one waited for. Each with the threads of both sides. */
// flags: -pthread
// who has just got the lock need not be asleep yet
// expect-sql: SELECT w.name, w.waiter, w.taken_by, w.holder IS NULL, SUM(w.wait_count) FROM
//     lock_waits w WHERE w.name <> 'twice' GROUP BY 1, 2, 3, 4 ORDER BY 1 =>
//     heir|take_heir|hold_heir|0|3; robust|take_robust|hold_robust|0|3;
//     spin|take_spin|hold_spin|0|3; table|take_table|hold_table|0|3
// expect-sql: SELECT w.taken_by, SUM(w.wait_count) FROM lock_waits w WHERE w.name = 'twice'
//     GROUP BY 1 => read_twice|1
// expect-sql: SELECT s.name, s.kind, s.named_by, s.waiter, s.signaller, SUM(s.wait_count) FROM
//     signals s WHERE s.name <> 'meeting' AND s.waiter <> 'main' GROUP BY 1, 2, 3, 4, 5 ORDER BY
//     1, 4 => [end of a thread]|thread|kind|await|sleeper|4;
//     gate|barrier|variable|come_early|come_late|6
// expect-sql: SELECT kind, COUNT(DISTINCT holder_lane_id), SUM(wait_count), SUM(holder_lane_id
//     = waiter_lane_id) FROM wait_edges WHERE name NOT IN ('twice', 'meeting') AND NOT (kind =
//     'thread' AND waiter = 'main') GROUP BY 1 ORDER BY 1 => barrier|1|6|0; mutex|1|6|0;
//     rwlock|1|3|0; spin|1|3|0; thread|1|4|0
// expect-sql: SELECT COUNT(*) FROM wait_edges e JOIN threads w ON w.lane_id = e.waiter_lane_id
//     WHERE e.waiter = 'await' AND w.tid = $main AND e.holder_lane_id <> w.lane_id => 1
// expect-sql: SELECT COUNT(*) FROM locks WHERE kind NOT IN ('mutex', 'rwlock', 'spin') => 0
// expect-trust: folded_locks => 0
#include "truth.h"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define ROUNDS 3
#define MOMENT_US 60000

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER,
			twice = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_mutex_t heir, robust;
static pthread_barrier_t gate, meeting;

/* The one that waits is there when the other one has it, and is asleep. */
#define ROUND(what, take, give)                                                          \
	ALONE static void hold_##what(void)                                              \
	{                                                                                \
		take;                                                                    \
		pthread_barrier_wait(&meeting);                                          \
		usleep(MOMENT_US);                                                       \
		give;                                                                    \
		pthread_barrier_wait(&meeting);                                          \
	}

ROUND(table, pthread_rwlock_rdlock(&table), pthread_rwlock_unlock(&table))
ROUND(spin, pthread_spin_lock(&spin), pthread_spin_unlock(&spin))
ROUND(heir, pthread_mutex_lock(&heir), pthread_mutex_unlock(&heir))
ROUND(robust, pthread_mutex_lock(&robust), pthread_mutex_unlock(&robust))

ALONE static void take_table(void)
{
	pthread_rwlock_wrlock(&table);
	pthread_rwlock_unlock(&table);
}

ALONE static void take_spin(void)
{
	pthread_spin_lock(&spin);
	pthread_spin_unlock(&spin);
}

ALONE static void take_heir(void)
{
	pthread_mutex_lock(&heir);
	pthread_mutex_unlock(&heir);
}

ALONE static void take_robust(void)
{
	pthread_mutex_lock(&robust);
	pthread_mutex_unlock(&robust);
}

static void (*const holds[])(void) = {hold_table, hold_spin, hold_heir, hold_robust};
static void (*const takes[])(void) = {take_table, take_spin, take_heir, take_robust};

ALONE static void *holder(void *unused)
{
	for (int i = 0; i < 4 * ROUNDS; i++)
		holds[i % 4]();
	return unused;
}

/* Twice for reading, once given back: still its. What others had before is not. */
ALONE static void read_twice(void)
{
	pthread_rwlock_rdlock(&twice);
	pthread_rwlock_tryrdlock(&twice);
	pthread_rwlock_unlock(&twice);
	pthread_barrier_wait(&meeting);
	usleep(MOMENT_US);
	pthread_rwlock_unlock(&twice);
}

ALONE static void *reader(void *unused)
{
	read_twice();
	return unused;
}

ALONE static void come_early(void)
{
	pthread_barrier_wait(&gate);
}

ALONE static void come_late(void)
{
	usleep(MOMENT_US);
	pthread_barrier_wait(&gate);
}

ALONE static void *early(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		come_early();
		pthread_barrier_wait(&meeting);
	}
	return unused;
}

ALONE static void *sleeper(void *unused)
{
	usleep(MOMENT_US);
	return unused;
}

ALONE static void await(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sleeper, NULL);
	pthread_join(thread, NULL);
}

ALONE static void make(void)
{
	pthread_mutexattr_t attributes;

	pthread_spin_init(&spin, 0);
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&heir, &attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_NONE);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
}

/* Nobody looks at these waits: they are not for the other ones' locks. */
UNTRACED void meet(unsigned int count, void *(*function)(void *), pthread_t *threads)
{
	pthread_barrier_init(&meeting, NULL, count + 1);
	for (unsigned int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, function, NULL);
}

int main(void)
{
	pthread_t threads[2];

	make();
	pthread_rwlock_rdlock(&twice);
	pthread_rwlock_unlock(&twice);
	meet(1, holder, threads);
	for (int i = 0; i < 4 * ROUNDS; i++) {
		pthread_barrier_wait(&meeting);
		takes[i % 4]();
		pthread_barrier_wait(&meeting);
	}
	pthread_join(threads[0], NULL);
	meet(1, reader, threads);
	pthread_barrier_wait(&meeting);
	pthread_rwlock_wrlock(&twice);
	pthread_rwlock_unlock(&twice);
	pthread_join(threads[0], NULL);
	pthread_barrier_init(&gate, NULL, 3);
	meet(2, early, threads);
	for (int i = 0; i < ROUNDS; i++) {
		come_late();
		pthread_barrier_wait(&meeting);
	}
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	for (int i = 0; i < 4; i++)
		await();
	fprintf(stderr, "truth: main=%d\n", (int)getpid());
	return 0;
}
