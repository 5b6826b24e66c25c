/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program without a defect: a daemon whose forked workers wait for events
 *                that hardly ever come, as nginx's do. The CPU is idle for want of work.
 *                What the workers run in was entered before they were forked, so their roots
 *                have no calls.
 */
#include "background.h"

#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS 2
#define WAITS 120

static __attribute__((noinline)) void wait_for_events(int events)
{
	struct epoll_event event;

	epoll_wait(events, &event, 1, 8);
}

static __attribute__((noinline)) void run_worker(void)
{
	int events = epoll_create1(0);

	for (int i = 0; i < WAITS; i++)
		wait_for_events(events);
	close(events);
}

static __attribute__((noinline)) void start_worker(void)
{
	if (fork() == 0) {
		run_worker();
		_exit(0);
	}
}

int main(void)
{
	if (daemon(1, 1) != 0)
		return 1;
	background(1, 200000);
	for (int i = 0; i < WORKERS; i++)
		start_worker();
	while (wait(NULL) > 0)
		;
	return 0;
}
