/* SPDX-License-Identifier: MIT */
/* What is told of locks: their names, how often each was taken, and of waits whose lock it
 * was, where that thread had taken it and where it was then. Threads wait in rounds, each
 * for one that sleeps with the lock; what they waited they know by their own clocks. */
// flags: -pthread
// expect-sql: SELECT name, kind, named_by, acquisitions, contended FROM locks ORDER BY name =>
//     [block of make_queue] + 40|mutex|block|1008|8; [first used by on_stack]|mutex|path|3|0;
//     pool + 88|mutex|variable|5|0; readers|rwlock|variable|312|6; spin|spin|variable|8|0;
//     table_lock|mutex|variable|14|7
// expect-sql: SELECT w.name, w.waiter, w.taken_by, SUM(w.wait_count) FROM lock_waits w
//     GROUP BY 1, 2, 3 ORDER BY 1, 2 => [block of make_queue] + 40|push|fill_queue|8;
//     readers|read_entry|write_entry|6; table_lock|give_up|rebuild|1;
//     table_lock|look_up|rebuild|6
// who has just got the lock need not be asleep yet
// expect-sql: SELECT SUM(w.wait_count) >= 11 FROM lock_waits w JOIN call_paths h ON h.path_id
//     = w.holder_path_id JOIN call_paths s ON s.path_id = h.parent_path_id WHERE s.name =
//     'sleep_with_it' AND s.parent_path_id = w.taken_path_id => 1
// who has looked at the clock may wait for a CPU before the call and behind it
// expect-sql: SELECT l.wait_ns BETWEEN $waited * 0.98 - 400000 - SUM(f.self_ns) AND $waited *
//     1.001 FROM locks l JOIN functions f ON f.name IN ('look_up', 'give_up') WHERE l.name =
//     'table_lock' => 1
// expect-sql: SELECT ABS(SUM(w.wait_ns) - l.wait_ns) < 10, MAX(w.max_wait_ns) = l.max_wait_ns,
//     l.p50_wait_ns <= l.max_wait_ns * 1.07 FROM lock_waits w JOIN locks l USING (lock_id) GROUP
//     BY lock_id ORDER BY l.name => 1|1|1; 1|1|1; 1|1|1
// expect-sql: SELECT hold_count, max_hold_ns >= $held FROM locks WHERE name = 'table_lock' =>
//     6|1
// expect-trust: folded_locks => 0
#include "truth.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define READERS 3
#define ROUNDS 2
#define MOMENT_NS 200000000
#define HELD_NS 3000000

struct queue {
	char others[40];
	pthread_mutex_t lock;
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t readers = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static struct {
	long other;
	pthread_mutex_t locks[4];
} pool;
static struct queue *queue;
static pthread_barrier_t barrier;
static volatile long waited_ns;

UNTRACED long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The others wait meanwhile. */
ALONE static void sleep_with_it(void)
{
	const struct timespec time = {0, MOMENT_NS};

	pthread_barrier_wait(&barrier);
	nanosleep(&time, NULL);
}

ALONE static void rebuild(void)
{
	pthread_mutex_lock(&table_lock);
	sleep_with_it();
	pthread_mutex_unlock(&table_lock);
}

ALONE static void write_entry(void)
{
	pthread_rwlock_wrlock(&readers);
	sleep_with_it();
	pthread_rwlock_unlock(&readers);
}

ALONE static void fill_queue(void)
{
	pthread_mutex_lock(&queue->lock);
	sleep_with_it();
	pthread_mutex_unlock(&queue->lock);
}

ALONE static void look_up(void)
{
	const struct timespec time = {0, HELD_NS};
	long start = now_ns();

	pthread_mutex_lock(&table_lock);
	__atomic_fetch_add(&waited_ns, now_ns() - start, __ATOMIC_RELAXED);
	nanosleep(&time, NULL);
	pthread_mutex_unlock(&table_lock);
}

ALONE static void read_entry(void)
{
	pthread_rwlock_rdlock(&readers);
	pthread_rwlock_unlock(&readers);
}

ALONE static void push(void)
{
	pthread_mutex_lock(&queue->lock);
	pthread_mutex_unlock(&queue->lock);
}

/* A time that is over before the lock is free. */
ALONE static void give_up(void)
{
	struct timespec until;
	long start = now_ns();

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec -= 1;
	if (pthread_mutex_timedlock(&table_lock, &until) != ETIMEDOUT)
		abort();
	__atomic_fetch_add(&waited_ns, now_ns() - start, __ATOMIC_RELAXED);
}

ALONE static void *reader(void *number)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&barrier);
		if (i == 0 && number)
			give_up();
		look_up();
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
		read_entry();
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

ALONE static void *pusher(void *unused)
{
	for (int i = 0; i < 4; i++) {
		pthread_barrier_wait(&barrier);
		push();
		pthread_barrier_wait(&barrier);
	}
	return unused;
}

ALONE static void take_free_ones(void)
{
	for (int i = 0; i < 996; i++)
		push();
	for (int i = 0; i < 304; i++)
		read_entry();
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&pool.locks[2]);
		pthread_mutex_unlock(&pool.locks[2]);
		pthread_mutex_trylock(&table_lock);
		pthread_mutex_trylock(&table_lock);
		pthread_mutex_unlock(&table_lock);
	}
	for (int i = 0; i < 8; i++) {
		pthread_spin_lock(&spin);
		pthread_spin_trylock(&spin);
		pthread_spin_unlock(&spin);
	}
}

ALONE static void on_stack(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}

ALONE static struct queue *make_queue(void)
{
	struct queue *made = calloc(1, sizeof(*made));

	pthread_mutex_init(&made->lock, NULL);
	return made;
}

ALONE static void run(void *(*function)(void *), int count, void (*with)(void),
		      int rounds)
{
	pthread_t threads[READERS];

	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, function, i ? NULL : &pool);
	for (int i = 0; i < rounds; i++) {
		with();
		pthread_barrier_wait(&barrier);
		if (function == reader) {
			write_entry();
			pthread_barrier_wait(&barrier);
		}
	}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	pthread_spin_init(&spin, 0);
	queue = make_queue();
	take_free_ones();
	on_stack();
	pthread_barrier_init(&barrier, NULL, READERS + 1);
	run(reader, READERS, rebuild, ROUNDS);
	pthread_barrier_destroy(&barrier);
	pthread_barrier_init(&barrier, NULL, 3);
	run(pusher, 2, fill_queue, 4);
	free(queue);
	fprintf(stderr, "truth: waited=%ld held=%d\n", waited_ns, HELD_NS);
	return 0;
}
