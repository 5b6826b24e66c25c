/* SPDX-License-Identifier: MIT */
/* The doorbell of a run (struct segment_state), and who rings it when a process dies. */
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "common/segment.h"

struct bell {
	struct segment_state *shared; /* borrowed, mapped */
	int epoll_fd;
	pthread_t thread;
};

/* Adds 1 to the doorbell and wakes everybody who waits for it. Any thread. */
void bell_ring(struct segment_state *shared);

/* Waits until the doorbell is no more `seen`, at most timeout_ns. */
void bell_wait(struct segment_state *shared, uint32_t seen, uint64_t timeout_ns);

/* Starts the thread that rings for deaths. 0 or -errno. There is no end: the process ends
 * with it. */
int bell_start(struct bell *bell, struct segment_state *shared);

/* Makes the bell ring when the process behind the pidfd dies. */
void bell_ring_when_dead(const struct bell *bell, int pidfd);
