/* SPDX-License-Identifier: MIT */
/*
 * What this is:  threads and locks without a defect: two workers compute, and take a lock
 *                briefly; one thread sleeps for events, one for items that are rare, one
 *                waits at a semaphore that nobody posts before the end.
 */
// flags: -pthread
#include "background.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define WORKERS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items, stop_event;
static bool is_over;
static sem_t end;

static __attribute__((noinline)) void add_item(void)
{
	pthread_mutex_lock(&lock);
	items++;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static void *run_worker(void *argument)
{
	for (int i = 0; i < 40; i++) {
		background(1, 100000);
		add_item();
	}
	return argument;
}

static __attribute__((noinline)) bool take_item(void)
{
	bool is_taken;

	pthread_mutex_lock(&lock);
	while (!items && !is_over)
		pthread_cond_wait(&changed, &lock);
	is_taken = items > 0;
	items -= is_taken;
	pthread_mutex_unlock(&lock);
	return is_taken;
}

static void *run_consumer(void *argument)
{
	while (take_item())
		background(1, 100);
	return argument;
}

static void *run_events(void *argument)
{
	int events = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};

	epoll_ctl(events, EPOLL_CTL_ADD, stop_event, &event);
	while (epoll_wait(events, &event, 1, 20) == 0)
		;
	close(events);
	return argument;
}

static void *run_sleeper(void *argument)
{
	while (sem_wait(&end) != 0)
		;
	return argument;
}

int main(void)
{
	void *(*const runs[])(void *) = {run_consumer, run_events, run_sleeper};
	pthread_t workers[WORKERS], others[3];

	stop_event = eventfd(0, 0);
	sem_init(&end, 0, 0);
	for (int i = 0; i < 3; i++)
		if (pthread_create(&others[i], NULL, runs[i], NULL) != 0)
			return 1;
	for (int i = 0; i < WORKERS; i++)
		if (pthread_create(&workers[i], NULL, run_worker, NULL) != 0)
			return 1;
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	pthread_mutex_lock(&lock);
	is_over = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	sem_post(&end);
	eventfd_write(stop_event, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(others[i], NULL);
	return 0;
}
