/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a lock that the kernel hands to who waits for it, as it does with those
 *                that have priority inheritance: whoever wants it again at once must queue,
 *                however the threads are scheduled. Another lock stays with the thread that
 *                has a CPU, time after time, when there are few CPUs for many.
 */
#pragma once

#include <pthread.h>
#include <stdlib.h>

static inline __attribute__((always_inline, no_instrument_function)) void
make_fair(pthread_mutex_t *lock)
{
	pthread_mutexattr_t inherits;

	if (pthread_mutexattr_init(&inherits) != 0 ||
	    pthread_mutexattr_setprotocol(&inherits, PTHREAD_PRIO_INHERIT) != 0 ||
	    pthread_mutex_init(lock, &inherits) != 0)
		exit(1);
}
