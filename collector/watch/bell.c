/* SPDX-License-Identifier: MIT */
/*
 * The doorbell of a run, and the thread that rings it when a process dies. The thread
 * knows nothing but the epoll set: each pidfd fires once (ONESHOT) and makes it ring; the
 * main thread then asks all pidfds itself. So the two threads share no data.
 */
#include "collector/watch/bell.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void bell_ring(struct segment_state *shared)
{
	/* release: what was changed before is seen by whoever saw the bell */
	__atomic_fetch_add(&shared->doorbell, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &shared->doorbell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void bell_wait(struct segment_state *shared, uint32_t seen, uint64_t timeout_ns)
{
	struct timespec timeout = {(time_t)(timeout_ns / 1000000000u),
				   (long)(timeout_ns % 1000000000u)};

	syscall(SYS_futex, &shared->doorbell, FUTEX_WAIT, seen, &timeout, NULL, 0);
}

static void *ring_for_deaths(void *argument)
{
	const struct bell *bell = argument;
	struct epoll_event event;

	for (;;) {
		if (epoll_wait(bell->epoll_fd, &event, 1, -1) > 0)
			bell_ring(bell->shared);
	}
	return NULL;
}

int bell_start(struct bell *bell, struct segment_state *shared)
{
	bell->shared = shared;
	bell->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (bell->epoll_fd < 0)
		return -errno;
	return -pthread_create(&bell->thread, NULL, ring_for_deaths, bell);
}

void bell_ring_when_dead(const struct bell *bell, int pidfd)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};

	/* without it the death is noticed within 100 ms */
	epoll_ctl(bell->epoll_fd, EPOLL_CTL_ADD, pidfd, &event);
}
