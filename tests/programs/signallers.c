/* SPDX-License-Identifier: MIT */
/* Who signalled whom: a condition that two functions wait for and two others signal, in
 * turn; a semaphore; waits whose time is over, which nobody ended. A wait has in it what the
 * other slept meanwhile, and is in what passed around it. */
// flags: -pthread
// expect-sql: SELECT s.name, s.kind, s.waiter, s.signaller, SUM(s.wait_count) FROM signals s
//     WHERE s.kind <> 'thread'
//     GROUP BY 1, 2, 3, 4 ORDER BY 1, 3, 4 => changed|condition|await_answer|answer|10;
//     changed|condition|await_question|ask|10; free_slots|semaphore|take_slot|give_slot|5;
//     never|condition|give_up||3
// expect-sql: SELECT SUM(wait_ns) BETWEEN $slept * 0.999 AND $waited * 1.001 FROM signals
//     WHERE name = 'changed' => 1
// expect-sql: SELECT COUNT(*) FROM signals s JOIN call_paths w ON w.path_id = s.waiter_path_id
//     JOIN call_paths o ON o.path_id = s.signaller_path_id WHERE w.name = s.waiter AND o.name =
//     s.signaller AND s.kind <> 'thread' => 3
// expect-sql: SELECT COUNT(*) FROM locks WHERE name IN ('changed', 'never', 'free_slots') => 0
#include "asleep.h"
#include "truth.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define TURNS 10
#define MOMENT_US 20000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER,
		      never = PTHREAD_COND_INITIALIZER;
static sem_t free_slots;
static int is_asked;
static atomic_int other_tid;
static long waited_ns, slept_ns;

UNTRACED long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A thread that was just made waits before it is signalled. */
UNTRACED void await_sleep(void)
{
	while (!other_tid || !is_asleep(other_tid))
		usleep(1000);
}

/* With the mutex, which the other one gets by this, and takes a while. */
UNTRACED void wait_until(int asked)
{
	while (is_asked != asked) {
		long start = now_ns();

		pthread_cond_wait(&changed, &mutex);
		waited_ns += now_ns() - start;
	}
}

ALONE static void await_question(void)
{
	wait_until(1);
}

ALONE static void await_answer(void)
{
	wait_until(0);
}

UNTRACED void rest(void)
{
	long start = now_ns();

	usleep(MOMENT_US);
	slept_ns += now_ns() - start;
}

ALONE static void ask(void)
{
	rest();
	is_asked = 1;
	pthread_cond_signal(&changed);
}

ALONE static void answer(void)
{
	rest();
	is_asked = 0;
	pthread_cond_broadcast(&changed);
}

ALONE static void *answers(void *unused)
{
	other_tid = gettid();
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < TURNS; i++) {
		await_question();
		answer();
	}
	pthread_mutex_unlock(&mutex);
	return unused;
}

ALONE static void take_slot(void)
{
	sem_wait(&free_slots);
}

ALONE static void give_slot(void)
{
	sem_post(&free_slots);
}

ALONE static void *takes(void *unused)
{
	other_tid = gettid();
	for (int i = 0; i < 5; i++)
		take_slot();
	return unused;
}

ALONE static void give_up(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&never, &mutex, &until);
	pthread_mutex_unlock(&mutex);
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, answers, NULL);
	await_sleep();
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < TURNS; i++) {
		ask();
		await_answer();
	}
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	sem_init(&free_slots, 0, 0);
	other_tid = 0;
	pthread_create(&thread, NULL, takes, NULL);
	for (int i = 0; i < 5; i++) {
		await_sleep();
		give_slot();
	}
	pthread_join(thread, NULL);
	for (int i = 0; i < 3; i++)
		give_up();
	fprintf(stderr, "truth: slept=%ld waited=%ld\n", slept_ns, waited_ns);
	return 0;
}
