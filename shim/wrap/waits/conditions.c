/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a condition. What libc has under these names is the version of today's
 * programs, whose structures are not those of the old one (wrapped.def). Waiting gives
 * the mutex up.
 */
#include <pthread.h>
#include <threads.h>

#include "common/attributes.h"
#include "common/libc/records.h"
#include "shim/wrap/real.h"
#include "shim/wrap/waits/locks.h"

exported int pthread_cond_wait(pthread_cond_t *restrict condition,
			       pthread_mutex_t *restrict mutex)
{
	locks_release(mutex);
	return LOCK_CALL(pthread_cond_wait, condition, SEGMENT_LOCK_CONDITION, NULL,
			 real_pthread_cond_wait(condition, mutex));
}

exported int pthread_cond_timedwait(pthread_cond_t *restrict condition,
				    pthread_mutex_t *restrict mutex,
				    const struct timespec *restrict until)
{
	locks_release(mutex);
	return LOCK_CALL(pthread_cond_timedwait, condition, SEGMENT_LOCK_CONDITION, NULL,
			 real_pthread_cond_timedwait(condition, mutex, until));
}

exported int pthread_cond_clockwait(pthread_cond_t *restrict condition,
				    pthread_mutex_t *restrict mutex, clockid_t clock,
				    const struct timespec *restrict until)
{
	locks_release(mutex);
	return LOCK_CALL(pthread_cond_clockwait, condition, SEGMENT_LOCK_CONDITION, NULL,
			 real_pthread_cond_clockwait(condition, mutex, clock, until));
}

exported int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
	locks_release(mutex);
	return LOCK_CALL(cnd_wait, condition, SEGMENT_LOCK_CONDITION, NULL,
			 real_cnd_wait(condition, mutex));
}

exported int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex,
			   const struct timespec *restrict until)
{
	locks_release(mutex);
	return LOCK_CALL(cnd_timedwait, condition, SEGMENT_LOCK_CONDITION, NULL,
			 real_cnd_timedwait(condition, mutex, until));
}

exported int pthread_cond_signal(pthread_cond_t *condition)
{
	locks_signal(condition);
	return real_pthread_cond_signal(condition);
}

exported int pthread_cond_broadcast(pthread_cond_t *condition)
{
	locks_signal(condition);
	return real_pthread_cond_broadcast(condition);
}

exported int cnd_signal(cnd_t *condition)
{
	locks_signal(condition);
	return real_cnd_signal(condition);
}

exported int cnd_broadcast(cnd_t *condition)
{
	locks_signal(condition);
	return real_cnd_broadcast(condition);
}
