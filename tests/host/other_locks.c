/* SPDX-License-Identifier: MIT */
/* Another library that is preloaded with us: it counts calls that lock or wait, without a
 * version, and knows nothing of calls that try. */
#include <dlfcn.h>
#include <pthread.h>

int other_lock_count, other_wait_count;

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static int (*real)(pthread_mutex_t *);

	if (!real)
		real = (int (*)(pthread_mutex_t *))(size_t)dlsym(RTLD_NEXT,
								 "pthread_mutex_lock");
	other_lock_count++;
	return real(mutex);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
			   const struct timespec *until)
{
	typedef int wait_function(pthread_cond_t *, pthread_mutex_t *,
				  const struct timespec *);
	wait_function *real =
		(wait_function *)(size_t)dlsym(RTLD_NEXT, "pthread_cond_timedwait");

	other_wait_count++;
	return real(condition, mutex, until);
}
