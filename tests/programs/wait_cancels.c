/* SPDX-License-Identifier: MIT */
/* Threads cancelled in each call that waits, and those that wait where nothing may cancel
 * them; a cancellation that is pending when a semaphore is free. The calls' nodes are
 * there, and closed. */
// flags: -pthread
// tolerate: repaired_frames
// expect-trust: orphan_regions => 0
// expect-sql: SELECT group_concat(n.name, ' ') FROM (SELECT DISTINCT n.name FROM call_paths n JOIN
//     call_paths p ON p.path_id = n.parent_path_id WHERE n.kind = 'wait' AND p.name = 'waits'
//     AND n.calls = 1 AND n.total_ns >= 15000000 ORDER BY 1) n =>
//     epoll_pwait epoll_wait nanosleep pause poll ppoll pselect pthread_clockjoin_np
//     pthread_cond_clockwait pthread_cond_timedwait pthread_cond_wait pthread_join
//     pthread_timedjoin_np select sem_clockwait sem_timedwait sem_wait sigsuspend
//     sigtimedwait sigwait sigwaitinfo wait wait3 wait4 waitid waitpid
// expect-sql: SELECT group_concat(n.name) FROM (SELECT n.name FROM call_paths n JOIN
//     call_paths p ON p.path_id = n.parent_path_id WHERE n.kind = 'wait' AND p.name =
//     'stays' AND n.calls = 1 AND n.total_ns >= 5000000 ORDER BY 1) n =>
//     pthread_barrier_wait,pthread_mutex_lock,pthread_rwlock_rdlock,pthread_rwlock_wrlock
#include "truth.h"
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAYS 26
#define STAYS 4
#define MOMENT_US 30000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER,
		       held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore, full;
static pthread_t other;
static sigset_t set, none;
static volatile int is_ready, cleaned, sum;

static void unlock(void *lock)
{
	pthread_mutex_unlock(lock);
}

static void clean(void *unused)
{
	(void)unused;
	cleaned++;
}

UNTRACED struct timespec in_an_hour(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	now.tv_sec += 3600;
	return now;
}

ALONE static void waits(int way)
{
	struct timespec real = in_an_hour(CLOCK_REALTIME), hour = {3600, 0};
	struct timespec monotonic = in_an_hour(CLOCK_MONOTONIC);
	struct epoll_event event;
	int status, poller = epoll_create1(0);
	siginfo_t info;
	void *result;

	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, &mutex);
	is_ready = 1;
	switch (way) {
	case 0:
		pthread_cond_wait(&condition, &mutex);
		break;
	case 1:
		pthread_cond_timedwait(&condition, &mutex, &real);
		break;
	case 2:
		pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &monotonic);
		break;
	case 3:
		sem_wait(&semaphore);
		break;
	case 4:
		sem_timedwait(&semaphore, &real);
		break;
	case 5:
		sem_clockwait(&semaphore, CLOCK_MONOTONIC, &monotonic);
		break;
	case 6:
		pthread_join(other, &result);
		break;
	case 7:
		pthread_timedjoin_np(other, &result, &real);
		break;
	case 8:
		pthread_clockjoin_np(other, &result, CLOCK_MONOTONIC, &monotonic);
		break;
	case 9:
		poll(NULL, 0, -1);
		break;
	case 10:
		ppoll(NULL, 0, &hour, NULL);
		break;
	case 11:
		select(0, NULL, NULL, NULL, NULL);
		break;
	case 12:
		pselect(0, NULL, NULL, NULL, &hour, NULL);
		break;
	case 13:
		epoll_wait(poller, &event, 1, -1);
		break;
	case 14:
		epoll_pwait(poller, &event, 1, -1, NULL);
		break;
	case 15:
		wait(&status);
		break;
	case 16:
		waitpid(-1, &status, 0);
		break;
	case 17:
		wait3(&status, 0, NULL);
		break;
	case 18:
		wait4(-1, &status, 0, NULL);
		break;
	case 19:
		waitid(P_ALL, 0, &info, WEXITED);
		break;
	case 20:
		sigwait(&set, &status);
		break;
	case 21:
		sigwaitinfo(&set, &info);
		break;
	case 22:
		sigtimedwait(&set, &info, &hour);
		break;
	case 23:
		sigsuspend(&none);
		break;
	case 24:
		nanosleep(&hour, NULL);
		break;
	case 25:
		pause();
		break;
	default:
		sem_wait(&full);
		break;
	}
	sum++;
	pthread_cleanup_pop(1);
}

ALONE static void *waiter(void *way)
{
	pthread_cleanup_push(clean, NULL);
	if ((intptr_t)way == WAYS) /* it is pending, and the semaphore free */
		pthread_cancel(pthread_self());
	waits((int)(intptr_t)way);
	pthread_cleanup_pop(0);
	return NULL;
}

/* Goes on until there is a place where it may be cancelled. */
ALONE static void stays(int way)
{
	is_ready = 1;
	switch (way) {
	case 0:
		pthread_mutex_lock(&held);
		pthread_mutex_unlock(&held);
		break;
	case 1:
		pthread_rwlock_rdlock(&shared);
		pthread_rwlock_unlock(&shared);
		break;
	case 2:
		pthread_rwlock_wrlock(&shared);
		pthread_rwlock_unlock(&shared);
		break;
	default:
		pthread_barrier_wait(&barrier);
		break;
	}
	sum++;
}

static void *stayer(void *way)
{
	stays((int)(intptr_t)way);
	pthread_testcancel();
	return NULL;
}

ALONE static void *sleeper(void *unused)
{
	for (;;)
		pause();
	return unused;
}

int main(void)
{
	pthread_t thread;
	void *result;
	pid_t child;

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sem_init(&semaphore, 0, 0);
	sem_init(&full, 0, 5);
	pthread_barrier_init(&barrier, NULL, 2);
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	pthread_create(&other, NULL, sleeper, NULL);
	for (intptr_t way = 0; way <= WAYS; way++) {
		is_ready = 0;
		pthread_create(&thread, NULL, waiter, (void *)way);
		while (!is_ready)
			usleep(100);
		usleep(MOMENT_US);
		if (way < WAYS)
			pthread_cancel(thread);
		pthread_join(thread, &result);
		printf("%d: %d %d\n", (int)way, result == PTHREAD_CANCELED,
		       pthread_mutex_trylock(&mutex));
		pthread_mutex_unlock(&mutex);
	}
	for (intptr_t way = 0; way < STAYS; way++) {
		is_ready = 0;
		pthread_mutex_lock(&held);
		pthread_rwlock_wrlock(&shared);
		pthread_create(&thread, NULL, stayer, (void *)way);
		while (!is_ready)
			usleep(100);
		pthread_cancel(thread);
		usleep(MOMENT_US);
		pthread_rwlock_unlock(&shared);
		pthread_mutex_unlock(&held);
		if (way == STAYS - 1)
			pthread_barrier_wait(&barrier);
		pthread_join(thread, &result);
		printf("stays %d: %d\n", (int)way, result == PTHREAD_CANCELED);
	}
	kill(child, SIGKILL);
	printf("cleaned %d, went on %d\n", cleaned, sum);
	return 0;
}
