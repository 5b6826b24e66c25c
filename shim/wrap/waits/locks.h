/* SPDX-License-Identifier: MIT */
/* What the wrappers of all kinds of locks have in common. */
#pragma once

#include <errno.h>

#include "common/attributes.h"
#include "common/libc/calls.h"
#include "shim/waits/locks.h"
#include "shim/waits/switches.h"
#include "shim/wrap/libc_call.h"

/* The functions behind ours that lock and that try are both libc's: to try first is the
 * same as to lock. */
extern hidden int locks_may_be_tried;

/* The constructor, when the real ones are known. */
void locks_begin(void);

/* The lock was taken at once, if the result says so, which is handed on. */
static inline int lock_count(const volatile void *lock, enum segment_lock_kind kind,
			     int result)
{
	if (likely(result == 0) && likely(libc_call_is_wanted))
		locks_count(lock, kind);
	return result;
}

/* The same of one that does not say whose it is. */
static inline int lock_share(const volatile void *lock, enum segment_lock_kind kind,
			     int result)
{
	if (likely(result == 0) && likely(libc_call_is_wanted))
		locks_share(locks_count(lock, kind));
	return result;
}

/* The same of one that was waited for. */
static inline int lock_share_late(const volatile void *lock, int result)
{
	if (result == 0)
		locks_share(lock_list_find(lane_self, (uintptr_t)lock));
	return result;
}

/* The program's own call for a lock that has just looked free. Who was switched out in it
 * may have waited after all, and has no node. */
#define LOCK_PEEKED(expression)                                                          \
	({                                                                               \
		const struct lane_context *peek_context = lane_own();                    \
		int peek_is_out = !libc_call_is_wanted || !peek_context ||               \
				  switches_has_been(peek_context);                       \
		int peek_result = (expression);                                          \
                                                                                         \
		if (unlikely(!peek_is_out && switches_has_been(peek_context)))           \
			process_count(SEGMENT_COUNTER_UNTOLD_WAITS, 1);                  \
		peek_result;                                                             \
	})

/* As locks_begin_wait(), where calls are recorded at all. */
static inline void lock_begin_wait(struct locks_wait *wait, const volatile void *lock,
				   enum segment_lock_kind kind, const int *owner)
{
	wait->lock = 0;
	if (libc_call_is_wanted)
		locks_begin_wait(wait, lock, kind, owner);
}

/* A call that waits for a lock, as LIBC_CALL, and in the books of the lock. owner: where
 * the lock has its holder's thread id, or NULL. */
#define LOCK_CALL(name, lock, kind, owner, expression)                                   \
	({                                                                               \
		struct locks_wait lock_wait;                                             \
		int lock_result;                                                         \
                                                                                         \
		lock_begin_wait(&lock_wait, lock, kind, owner);                          \
		lock_result = LIBC_CALL_BOOKED(name, expression);                        \
		locks_end_wait(&lock_wait,                                               \
			       lock_result == 0 || lock_result == EOWNERDEAD);           \
		lock_result;                                                             \
	})
