/* SPDX-License-Identifier: MIT */
/*
 * Where threads meet: semaphores, barriers, the end of a thread, what is done once,
 * conditions, signals; and requests of which some are waits, locks on parts of files and
 * reading and writing that goes on by itself (aio).
 *
 * A semaphore is looked at, and not tried: sem_wait() is a place where a thread may be
 * cancelled, also where it need not wait.
 */
#undef _FILE_OFFSET_BITS /* both names of some are defined */

#include <aio.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <threads.h>
#include <unistd.h>

#include "common/attributes.h"
#include "common/libc/calls.h"
#include "shim/core/process.h"
#include "shim/waits/holders.h"
#include "shim/wrap/libc_call.h"
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

#define SEMAPHORE(name, semaphore, ...)                                                  \
	(!libc_call_is_wanted || !is_zero(semaphore)                                     \
		 ? LOCK_PEEKED(real_##name(semaphore, ##__VA_ARGS__))                    \
		 : LOCK_CALL(name, semaphore, SEGMENT_LOCK_SEMAPHORE, NULL,              \
			     real_##name(semaphore, ##__VA_ARGS__)))

/* Signals a condition, or posts to a semaphore. */
#define SIGNALS(name, object) (locks_signal(object), real_##name(object))

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
#define JOIN(name, thread, ...)                                                          \
	({                                                                               \
		struct locks_wait join_wait;                                             \
		int join_result;                                                         \
                                                                                         \
		join_wait.lock = 0;                                                      \
		if (libc_call_is_wanted)                                                 \
			locks_begin_join(&join_wait);                                    \
		join_result = LIBC_CALL_BOOKED(name, real_##name(thread, __VA_ARGS__));  \
		locks_end_join(&join_wait, (uintptr_t)(thread), join_result == 0);       \
		join_result;                                                             \
	})

exported int pthread_tryjoin_np(pthread_t thread, void **ret_value)
{
	return LIBC_CALL_BOOKED(pthread_tryjoin_np,
				real_pthread_tryjoin_np(thread, ret_value));
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

exported int thrd_sleep(const struct timespec *duration, struct timespec *left)
{
	return LIBC_CALL_BOOKED(thrd_sleep, real_thrd_sleep(duration, left));
}

/*
 * Waiting for a condition gives the mutex up. What libc has under these names is the
 * version of today's programs, whose structures are not those of the old one.
 */
#define CONDITION(name, condition, mutex, ...)                                           \
	(locks_release(mutex), LOCK_CALL(name, condition, SEGMENT_LOCK_CONDITION, NULL,  \
					 real_##name(condition, mutex, ##__VA_ARGS__)))

WRAPPER(CONDITION, pthread_cond_wait, int, pthread_cond_t *, pthread_mutex_t *)
WRAPPER(CONDITION, pthread_cond_timedwait, int, pthread_cond_t *, pthread_mutex_t *,
	const struct timespec *)
WRAPPER(SIGNALS, pthread_cond_signal, int, pthread_cond_t *)
WRAPPER(SIGNALS, pthread_cond_broadcast, int, pthread_cond_t *)

/*
 * Signals: waiting for one, and sending it to a thread of the process, or to all of it.
 *
 * raise() sends to the calling thread, which waits for nothing; what the kernel sends is
 * not seen. Those that send are called in handlers: they only leave a word.
 */

/* A call that waits for a signal. signal: an expression with the call's `result` in it,
 * see locks_end_signal_wait(). */
#define SIGNAL_CALL(name, signal, expression)                                            \
	({                                                                               \
		struct locks_wait signal_wait;                                           \
		int result;                                                              \
                                                                                         \
		signal_wait.lock = 0;                                                    \
		if (libc_call_is_wanted)                                                 \
			locks_begin_signal_wait(&signal_wait);                           \
		result = LIBC_CALL_BOOKED(name, expression);                             \
		locks_end_signal_wait(&signal_wait, signal);                             \
		result;                                                                  \
	})

exported int sigwait(const sigset_t *restrict set, int *restrict ret_signal)
{
	return SIGNAL_CALL(sigwait, result == 0 ? *ret_signal : -1,
			   real_sigwait(set, ret_signal));
}

#define SIGNAL_WAIT(name, ...) SIGNAL_CALL(name, result, real_##name(__VA_ARGS__))
/* These return when a handler has, and do not say of which signal. */
#define ANY_SIGNAL_WAIT(name, ...)                                                       \
	SIGNAL_CALL(name, ((void)result, SENDERS_ANY), real_##name(__VA_ARGS__))

exported int pause(void)
{
	return ANY_SIGNAL_WAIT(pause);
}

/* Signal 0 only asks whether there is somebody. */
static int is_sent(int signal)
{
	return libc_call_is_wanted && signal > 0;
}

/* A process may be of its own group, and is among all. */
static void note_process(pid_t pid, int signal)
{
	if (is_sent(signal) && process_is_ready() && (pid <= 0 || pid == process->pid))
		senders_note_process(signal);
}

static void note_thread(pthread_t thread, int signal)
{
	if (is_sent(signal))
		senders_note_thread((uintptr_t)thread, signal);
}

#define TO_PROCESS(name, pid, signal, ...)                                               \
	(note_process(pid, signal), real_##name(pid, signal, ##__VA_ARGS__))
#define TO_THREAD(name, thread, signal, ...)                                             \
	(note_thread(thread, signal), real_##name(thread, signal, ##__VA_ARGS__))

WRAPPER(TO_THREAD, pthread_kill, int, pthread_t, int)

exported int killpg(pid_t group, int signal)
{
	note_process(0, signal);
	return real_killpg(group, signal);
}

exported int tgkill(pid_t pid, pid_t tid, int signal)
{
	if (is_sent(signal) && process_is_ready() && pid == process->pid)
		senders_note_tid(tid, signal);
	return real_tgkill(pid, tid, signal);
}

/* Of its commands only those that wait are nodes. Most have an argument, of the size of a
 * pointer at most; of those that have none it is whatever was there, as in libc. */
#define CONTROL(name, file, command)                                                     \
	({                                                                               \
		va_list list;                                                            \
		void *argument;                                                          \
                                                                                         \
		va_start(list, command);                                                 \
		argument = va_arg(list, void *);                                         \
		va_end(list);                                                            \
		(command) == F_SETLKW || (command) == F_OFD_SETLKW                       \
			? LIBC_CALL(fcntl, real_##name(file, command, argument))         \
			: real_##name(file, command, argument);                          \
	})

exported int fcntl(int file, int command, ...)
{
	return CONTROL(fcntl, file, command);
}

exported int fcntl64(int file, int command, ...)
{
	return CONTROL(fcntl64, file, command);
}

/* It waits when it is told to. */
#define LIST(name, mode, ...)                                                            \
	((mode) == LIO_WAIT ? LIBC_CALL(lio_listio, real_##name(mode, __VA_ARGS__))      \
			    : real_##name(mode, __VA_ARGS__))

WRAPPER(LIST, lio_listio, int, int, struct aiocb *const *, int, struct sigevent *)
WRAPPER(LIST, lio_listio64, int, int, struct aiocb64 *const *, int, struct sigevent *)

#define WRAPPED_MEETING WRAPPER_ROW

#include "shim/wrap/wrapped.def"
