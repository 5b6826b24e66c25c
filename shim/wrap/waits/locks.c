/* SPDX-License-Identifier: MIT */
/*
 * Mutexes. One that is free is taken by trying, which is what locking it comes to; only
 * one that is not free is waited for in a node.
 *
 * That holds for the plain kinds. Locking a robust one, or one with a priority protocol,
 * does more than trying does, and so may another library that stands behind us in line:
 * there the lock's word is looked at, and the call that the program made is made. With
 * one thread, too: glibc then locks without a locked instruction.
 */
#include "shim/wrap/waits/locks.h"

#include <pthread.h>
#include <sys/single_threaded.h>
#include <threads.h>

#include "shim/wrap/real.h"
#include "shim/wrap/resolve.h"

/* glibc's, of pthread_mutex_t.__data */
#define KIND_ROBUST 16
#define KIND_INHERITS 32 /* priority */
#define KIND_PROTECTS 64
#define WORD_OWNER 0x3fffffffu /* of the first two */
#define WORD_OWNER_DIED 0x40000000u
#define WORD_CEILING_SHIFT 19 /* of the third */

static inline int is_plain(const pthread_mutex_t *mutex)
{
	return !(mutex->__data.__kind & (KIND_ROBUST | KIND_INHERITS | KIND_PROTECTS));
}

static inline int is_own(int32_t tid)
{
	return tid && tid == lane_self->tid;
}

/* By another thread, as it looks just now. */
static races_by_design int is_taken(const pthread_mutex_t *mutex)
{
	uint32_t word =
		(uint32_t)__atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED);
	int kind = mutex->__data.__kind;

	if (kind & KIND_PROTECTS)
		word &= (1u << WORD_CEILING_SHIFT) - 1;
	else if (kind & (KIND_ROBUST | KIND_INHERITS))
		return (word & WORD_OWNER) && !(word & WORD_OWNER_DIED) &&
		       !is_own((int32_t)(word & WORD_OWNER));
	return word && !is_own(mutex->__data.__owner);
}

/* Takes it if that needs no waiting: EBUSY, it does. */
static inline int lock_at_once(pthread_mutex_t *mutex)
{
	if (likely(locks_may_be_tried && !__libc_single_threaded && is_plain(mutex)))
		return real_pthread_mutex_trylock(mutex);
	return is_taken(mutex) ? EBUSY : LOCK_PEEKED(real_pthread_mutex_lock(mutex));
}

#define MUTEX_CALL(name, mutex, expression)                                              \
	LOCK_CALL(name, mutex, SEGMENT_LOCK_MUTEX, &(mutex)->__data.__owner, expression)

static cold int lock_waiting(pthread_mutex_t *mutex)
{
	if (is_own(mutex->__data.__owner))
		return real_pthread_mutex_lock(mutex); /* an error, or for ever */
	return MUTEX_CALL(pthread_mutex_lock, mutex, real_pthread_mutex_lock(mutex));
}

exported int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int result;

	if (unlikely(!libc_call_is_wanted))
		return real_pthread_mutex_lock(mutex);
	result = lock_at_once(mutex);
	if (unlikely(result == EBUSY))
		return lock_waiting(mutex);
	return lock_count(mutex, SEGMENT_LOCK_MUTEX, result);
}

exported int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	return lock_count(mutex, SEGMENT_LOCK_MUTEX, real_pthread_mutex_trylock(mutex));
}

exported int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	locks_release(mutex);
	return real_pthread_mutex_unlock(mutex);
}

/* Looked at: they check their arguments before they try. */
exported int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	if (!libc_call_is_wanted || !is_taken(mutex))
		return lock_count(
			mutex, SEGMENT_LOCK_MUTEX,
			LOCK_PEEKED(real_pthread_mutex_timedlock(mutex, until)));
	return MUTEX_CALL(pthread_mutex_timedlock, mutex,
			  real_pthread_mutex_timedlock(mutex, until));
}

exported int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
				     const struct timespec *until)
{
	if (!libc_call_is_wanted || !is_taken(mutex))
		return lock_count(
			mutex, SEGMENT_LOCK_MUTEX,
			LOCK_PEEKED(real_pthread_mutex_clocklock(mutex, clock, until)));
	return MUTEX_CALL(pthread_mutex_clocklock, mutex,
			  real_pthread_mutex_clocklock(mutex, clock, until));
}

/* Those of C11 are such mutexes under another name, and never robust. */
static pthread_mutex_t *mutex_of(mtx_t *mutex)
{
	return (pthread_mutex_t *)mutex;
}

exported int mtx_lock(mtx_t *mutex)
{
	if (!libc_call_is_wanted || !is_taken(mutex_of(mutex)))
		return lock_count(mutex, SEGMENT_LOCK_MUTEX,
				  LOCK_PEEKED(real_mtx_lock(mutex)));
	return MUTEX_CALL(mtx_lock, mutex_of(mutex), real_mtx_lock(mutex));
}

exported int mtx_trylock(mtx_t *mutex)
{
	return lock_count(mutex, SEGMENT_LOCK_MUTEX, real_mtx_trylock(mutex));
}

exported int mtx_unlock(mtx_t *mutex)
{
	locks_release(mutex);
	return real_mtx_unlock(mutex);
}

exported int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
	if (!libc_call_is_wanted || !is_taken(mutex_of(mutex)))
		return lock_count(mutex, SEGMENT_LOCK_MUTEX,
				  LOCK_PEEKED(real_mtx_timedlock(mutex, until)));
	return MUTEX_CALL(mtx_timedlock, mutex_of(mutex),
			  real_mtx_timedlock(mutex, until));
}

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
