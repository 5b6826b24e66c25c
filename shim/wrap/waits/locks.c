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

/* Those of C11 are such mutexes under another name, and never robust. */
static pthread_mutex_t *mutex_of(void *mutex)
{
	return mutex;
}

/* Looked at: they check their arguments before they try. */
#define LOOKED_AT(name, mutex, ...)                                                      \
	(!libc_call_is_wanted || !is_taken(mutex_of(mutex))                              \
		 ? lock_count(mutex, SEGMENT_LOCK_MUTEX,                                 \
			      LOCK_PEEKED(real_##name(mutex, ##__VA_ARGS__)))            \
		 : MUTEX_CALL(name, mutex_of(mutex), real_##name(mutex, ##__VA_ARGS__)))
#define TRIED(name, mutex) lock_count(mutex, SEGMENT_LOCK_MUTEX, real_##name(mutex))
#define UNLOCKED(name, mutex) (locks_release(mutex), real_##name(mutex))

WRAPPER(TRIED, pthread_mutex_trylock, int, pthread_mutex_t *)
WRAPPER(UNLOCKED, pthread_mutex_unlock, int, pthread_mutex_t *)

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

/* These check the time before they try, and are waits whether they wait or not. */
#define READ_UNTIL(name, lock, ...)                                                      \
	lock_share_late(lock, RWLOCK_CALL(name, lock, real_##name(lock, __VA_ARGS__)))
#define WRITE_UNTIL(name, lock, ...)                                                     \
	RWLOCK_CALL(name, lock, real_##name(lock, __VA_ARGS__))

exported int pthread_spin_lock(pthread_spinlock_t *lock)
{
	if (!libc_call_is_wanted)
		return real_pthread_spin_lock(lock);
	if (likely(locks_may_be_tried) && real_pthread_spin_trylock(lock) == 0)
		return lock_share(lock, SEGMENT_LOCK_SPIN, 0);
	return lock_share_late(lock, LOCK_CALL(pthread_spin_lock, lock, SEGMENT_LOCK_SPIN,
					       NULL, real_pthread_spin_lock(lock)));
}

/* Of those who share a lock each knows it by its own table. */
#define SHARE_TRIED(name, lock) lock_share(lock, SEGMENT_LOCK_RWLOCK, real_##name(lock))
#define WRITE_TRIED(name, lock) lock_count(lock, SEGMENT_LOCK_RWLOCK, real_##name(lock))
#define SPIN_TRIED(name, lock) lock_share(lock, SEGMENT_LOCK_SPIN, real_##name(lock))
#define UNSHARED(name, lock) (locks_unshare(lock), real_##name(lock))

WRAPPER(SHARE_TRIED, pthread_rwlock_tryrdlock, int, pthread_rwlock_t *)
WRAPPER(WRITE_TRIED, pthread_rwlock_trywrlock, int, pthread_rwlock_t *)
WRAPPER(UNSHARED, pthread_rwlock_unlock, int, pthread_rwlock_t *)
WRAPPER(SPIN_TRIED, pthread_spin_trylock, int, pthread_spinlock_t *)
WRAPPER(UNSHARED, pthread_spin_unlock, int, pthread_spinlock_t *)

#define WRAPPED_LOCK WRAPPER_ROW

#include "shim/wrap/wrapped.def"
