/* SPDX-License-Identifier: MIT */
/*
 * Where threads meet: semaphores, barriers, the end of a thread, what is done once.
 *
 * A semaphore is looked at, and not tried: sem_wait() is a place where a thread may be
 * cancelled, also where it need not wait.
 */
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "common/attributes.h"
#include "common/libc/records.h"
#include "shim/wrap/real.h"
#include "shim/wrap/waits/locks.h"

/* glibc's, of pthread_once_t */
#define ONCE_IN_PROGRESS 1
#define ONCE_DONE 2

static int is_zero(sem_t *semaphore)
{
	int value = 0;

	return sem_getvalue(semaphore, &value) == 0 && value <= 0;
}

exported int sem_wait(sem_t *semaphore)
{
	if (!libc_call_is_wanted || !is_zero(semaphore))
		return LOCK_PEEKED(real_sem_wait(semaphore));
	return LOCK_CALL(sem_wait, semaphore, SEGMENT_LOCK_SEMAPHORE, NULL,
			 real_sem_wait(semaphore));
}

exported int sem_timedwait(sem_t *restrict semaphore,
			   const struct timespec *restrict until)
{
	if (!libc_call_is_wanted || !is_zero(semaphore))
		return LOCK_PEEKED(real_sem_timedwait(semaphore, until));
	return LOCK_CALL(sem_timedwait, semaphore, SEGMENT_LOCK_SEMAPHORE, NULL,
			 real_sem_timedwait(semaphore, until));
}

exported int sem_clockwait(sem_t *restrict semaphore, clockid_t clock,
			   const struct timespec *restrict until)
{
	if (!libc_call_is_wanted || !is_zero(semaphore))
		return LOCK_PEEKED(real_sem_clockwait(semaphore, clock, until));
	return LOCK_CALL(sem_clockwait, semaphore, SEGMENT_LOCK_SEMAPHORE, NULL,
			 real_sem_clockwait(semaphore, clock, until));
}

exported int sem_post(sem_t *semaphore)
{
	locks_signal(semaphore);
	return real_sem_post(semaphore);
}

exported int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	struct locks_wait wait;
	int result;

	locks_signal(barrier);
	lock_begin_wait(&wait, barrier, SEGMENT_LOCK_BARRIER, NULL);
	result = LIBC_CALL_BOOKED(pthread_barrier_wait,
				  real_pthread_barrier_wait(barrier));
	locks_end_wait(&wait, 1);
	return result;
}

/* Of a call that waits for the end of a thread. */
#define JOIN_CALL(name, thread, expression)                                              \
	({                                                                               \
		struct locks_wait join_wait;                                             \
		int join_result;                                                         \
                                                                                         \
		join_wait.lock = 0;                                                      \
		if (libc_call_is_wanted)                                                 \
			locks_begin_join(&join_wait);                                    \
		join_result = LIBC_CALL_BOOKED(name, expression);                        \
		locks_end_join(&join_wait, (uintptr_t)(thread), join_result == 0);       \
		join_result;                                                             \
	})

exported int pthread_join(pthread_t thread, void **ret_value)
{
	return JOIN_CALL(pthread_join, thread, real_pthread_join(thread, ret_value));
}

exported int pthread_tryjoin_np(pthread_t thread, void **ret_value)
{
	return LIBC_CALL_BOOKED(pthread_tryjoin_np,
				real_pthread_tryjoin_np(thread, ret_value));
}

exported int pthread_timedjoin_np(pthread_t thread, void **ret_value,
				  const struct timespec *until)
{
	return JOIN_CALL(pthread_timedjoin_np, thread,
			 real_pthread_timedjoin_np(thread, ret_value, until));
}

exported int pthread_clockjoin_np(pthread_t thread, void **ret_value, clockid_t clock,
				  const struct timespec *until)
{
	return JOIN_CALL(pthread_clockjoin_np, thread,
			 real_pthread_clockjoin_np(thread, ret_value, clock, until));
}

/* Another thread is at it. Who does it itself calls on behalf of its own caller. */
static int is_in_progress(const pthread_once_t *once)
{
	return libc_call_is_wanted &&
	       (__atomic_load_n(once, __ATOMIC_RELAXED) &
		(ONCE_IN_PROGRESS | ONCE_DONE)) == ONCE_IN_PROGRESS;
}

exported int pthread_once(pthread_once_t *once, void (*initialise)(void))
{
	if (likely(!is_in_progress(once)))
		return real_pthread_once(once, initialise);
	return LIBC_CALL_BOOKED(pthread_once, real_pthread_once(once, initialise));
}

exported void call_once(once_flag *once, void (*initialise)(void))
{
	if (likely(!is_in_progress((const pthread_once_t *)once)))
		real_call_once(once, initialise);
	else
		(void)LIBC_CALL_BOOKED(call_once, (real_call_once(once, initialise), 0));
}

exported int thrd_join(thrd_t thread, int *ret_value)
{
	return JOIN_CALL(thrd_join, thread, real_thrd_join(thread, ret_value));
}

exported int thrd_sleep(const struct timespec *duration, struct timespec *left)
{
	return LIBC_CALL_BOOKED(thrd_sleep, real_thrd_sleep(duration, left));
}

/*
 * Waiting for a condition. What libc has under these names is the version of today's
 * programs, whose structures are not those of the old one (wrapped.def). Waiting gives
 * the mutex up.
 */

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
