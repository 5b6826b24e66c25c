/* SPDX-License-Identifier: MIT */
/*
 * Signals: waiting for one, and sending it to a thread of the process, or to all of it.
 *
 * raise() sends to the calling thread, which waits for nothing; what the kernel sends is
 * not seen. Those that send are called in handlers: they only leave a word.
 */
#undef _FILE_OFFSET_BITS /* both names of some are defined */

#include <aio.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

#include "common/attributes.h"
#include "shim/core/process.h"
#include "shim/waits/holders.h"
#include "shim/wrap/libc_call.h"
#include "shim/wrap/real.h"
#include "shim/wrap/waits/locks.h"

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

exported int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict ret_info)
{
	return SIGNAL_CALL(sigwaitinfo, result, real_sigwaitinfo(set, ret_info));
}

exported int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict ret_info,
			  const struct timespec *restrict timeout)
{
	return SIGNAL_CALL(sigtimedwait, result,
			   real_sigtimedwait(set, ret_info, timeout));
}

/* These return when a handler has, and do not say of which signal. */
exported int sigsuspend(const sigset_t *mask)
{
	return SIGNAL_CALL(sigsuspend, ((void)result, SENDERS_ANY),
			   real_sigsuspend(mask));
}

exported int pause(void)
{
	return SIGNAL_CALL(pause, ((void)result, SENDERS_ANY), real_pause());
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

exported int kill(pid_t pid, int signal)
{
	note_process(pid, signal);
	return real_kill(pid, signal);
}

exported int killpg(pid_t group, int signal)
{
	note_process(0, signal);
	return real_killpg(group, signal);
}

exported int sigqueue(pid_t pid, int signal, const union sigval value)
{
	note_process(pid, signal);
	return real_sigqueue(pid, signal, value);
}

exported int pthread_kill(pthread_t thread, int signal)
{
	if (is_sent(signal))
		senders_note_thread((uintptr_t)thread, signal);
	return real_pthread_kill(thread, signal);
}

exported int pthread_sigqueue(pthread_t thread, int signal, const union sigval value)
{
	if (is_sent(signal))
		senders_note_thread((uintptr_t)thread, signal);
	return real_pthread_sigqueue(thread, signal, value);
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
exported int lio_listio(int mode, struct aiocb *const requests[restrict], int count,
			struct sigevent *restrict event)
{
	return mode == LIO_WAIT ? LIBC_CALL(lio_listio,
					    real_lio_listio(mode, requests, count, event))
				: real_lio_listio(mode, requests, count, event);
}

exported int lio_listio64(int mode, struct aiocb64 *const requests[restrict], int count,
			  struct sigevent *restrict event)
{
	return mode == LIO_WAIT ? LIBC_CALL(lio_listio, real_lio_listio64(mode, requests,
									  count, event))
				: real_lio_listio64(mode, requests, count, event);
}
