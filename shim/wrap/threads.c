/* SPDX-License-Identifier: MIT */
/*
 * Notices the end of threads. Runs on: threads_begin: the constructor; the rest: any
 * thread, on its first event and in its last moments. Must not release a lane while
 * destructors of the program may still come.
 *
 * A key's destructor runs when its thread ends, with the other keys' in no order, in at
 * most four rounds as long as some key is set again. Ours sets itself again until the
 * last round, so the program's own destructors are recorded before the lane goes.
 */
#include "shim/wrap/threads.h"

#include <limits.h>
#include <pthread.h>

#include "shim/lane/upcalls.h"
#include "shim/record/context.h"

static pthread_key_t key;
static int key_exists;
/* the thread has a value, whose destructor runs at its end */
static __thread int is_watched __attribute__((tls_model("initial-exec")));

static void thread_ends(void *value)
{
	struct lane_context *context = lane_own();

	is_watched = 0;
	if (!context)
		return;
	if (++context->destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
		is_watched = pthread_setspecific(key, value) == 0;
	else
		context_release();
}

/* The first 32 keys have their place in the thread itself: nothing allocates. A forked
 * child has its parent's. */
static void thread_begins(void)
{
	if (key_exists && !is_watched)
		is_watched = pthread_setspecific(key, &key) == 0;
}

void threads_begin(void)
{
	key_exists = pthread_key_create(&key, thread_ends) == 0;
	upcalls.thread_begins = thread_begins;
}
