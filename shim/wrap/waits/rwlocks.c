/* SPDX-License-Identifier: MIT */
/* Locks for readers and writers, and spin locks: tried, and waited for if that fails. */
#include <pthread.h>

#include "common/attributes.h"
#include "common/libc/records.h"
#include "shim/wrap/real.h"
#include "shim/wrap/resolve.h"
#include "shim/wrap/waits/locks.h"

int locks_may_be_tried;

void locks_begin(void)
{
	void *const functions[] = {
		(void *)real_pthread_mutex_lock,    (void *)real_pthread_mutex_trylock,
		(void *)real_pthread_rwlock_rdlock, (void *)real_pthread_rwlock_tryrdlock,
		(void *)real_pthread_rwlock_wrlock, (void *)real_pthread_rwlock_trywrlock,
		(void *)real_pthread_spin_lock,	    (void *)real_pthread_spin_trylock,
	};

	locks_may_be_tried = 1;
	for (unsigned int i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		locks_may_be_tried &= resolve_is_libc(functions[i]);
}

/* Whoever writes has its id in the lock; those who read are many, and known by their own
 * tables only. */
#define RWLOCK_CALL(name, lock, expression)                                              \
	LOCK_CALL(name, lock, SEGMENT_LOCK_RWLOCK, &(lock)->__data.__cur_writer,         \
		  expression)

exported int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	if (!libc_call_is_wanted)
		return real_pthread_rwlock_rdlock(lock);
	if (likely(locks_may_be_tried) && real_pthread_rwlock_tryrdlock(lock) == 0)
		return lock_share(lock, SEGMENT_LOCK_RWLOCK, 0);
	return lock_share_late(lock, RWLOCK_CALL(pthread_rwlock_rdlock, lock,
						 real_pthread_rwlock_rdlock(lock)));
}

exported int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	if (!libc_call_is_wanted)
		return real_pthread_rwlock_wrlock(lock);
	if (likely(locks_may_be_tried) && real_pthread_rwlock_trywrlock(lock) == 0)
		return lock_count(lock, SEGMENT_LOCK_RWLOCK, 0);
	return RWLOCK_CALL(pthread_rwlock_wrlock, lock, real_pthread_rwlock_wrlock(lock));
}

exported int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
	return lock_share(lock, SEGMENT_LOCK_RWLOCK, real_pthread_rwlock_tryrdlock(lock));
}

exported int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
	return lock_count(lock, SEGMENT_LOCK_RWLOCK, real_pthread_rwlock_trywrlock(lock));
}

/* These check the time before they try, and are waits whether they wait or not. */
exported int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock,
					const struct timespec *restrict until)
{
	return lock_share_late(lock,
			       RWLOCK_CALL(pthread_rwlock_timedrdlock, lock,
					   real_pthread_rwlock_timedrdlock(lock, until)));
}

exported int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock,
					const struct timespec *restrict until)
{
	return RWLOCK_CALL(pthread_rwlock_timedwrlock, lock,
			   real_pthread_rwlock_timedwrlock(lock, until));
}

exported int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict lock, clockid_t clock,
					const struct timespec *restrict until)
{
	return lock_share_late(
		lock, RWLOCK_CALL(pthread_rwlock_clockrdlock, lock,
				  real_pthread_rwlock_clockrdlock(lock, clock, until)));
}

exported int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict lock, clockid_t clock,
					const struct timespec *restrict until)
{
	return RWLOCK_CALL(pthread_rwlock_clockwrlock, lock,
			   real_pthread_rwlock_clockwrlock(lock, clock, until));
}

exported int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	locks_unshare(lock);
	return real_pthread_rwlock_unlock(lock);
}

exported int pthread_spin_lock(pthread_spinlock_t *lock)
{
	if (!libc_call_is_wanted)
		return real_pthread_spin_lock(lock);
	if (likely(locks_may_be_tried) && real_pthread_spin_trylock(lock) == 0)
		return lock_share(lock, SEGMENT_LOCK_SPIN, 0);
	return lock_share_late(lock, LOCK_CALL(pthread_spin_lock, lock, SEGMENT_LOCK_SPIN,
					       NULL, real_pthread_spin_lock(lock)));
}

exported int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	return lock_share(lock, SEGMENT_LOCK_SPIN, real_pthread_spin_trylock(lock));
}

exported int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	locks_unshare(lock);
	return real_pthread_spin_unlock(lock);
}
