/* SPDX-License-Identifier: MIT */
/*
 * Waiting for descriptors, children, signals and names of hosts. The fortified ones are
 * what programs call that were compiled with checks of their buffers.
 */
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>

#include "common/attributes.h"
#include "shim/wrap/libc_call.h"
#include "shim/wrap/real.h"

exported int poll(struct pollfd *files, nfds_t count, int timeout_ms)
{
	return LIBC_CALL(poll, real_poll(files, count, timeout_ms));
}

exported int __poll_chk(struct pollfd *files, nfds_t count, int timeout_ms, size_t size)
{
	return LIBC_CALL(poll, real___poll_chk(files, count, timeout_ms, size));
}

exported int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout,
		   const sigset_t *mask)
{
	return LIBC_CALL(ppoll, real_ppoll(files, count, timeout, mask));
}

exported int __ppoll_chk(struct pollfd *files, nfds_t count,
			 const struct timespec *timeout, const sigset_t *mask,
			 size_t size)
{
	return LIBC_CALL(ppoll, real___ppoll_chk(files, count, timeout, mask, size));
}

exported int select(int count, fd_set *restrict readable, fd_set *restrict writable,
		    fd_set *restrict special, struct timeval *restrict timeout)
{
	return LIBC_CALL(select,
			 real_select(count, readable, writable, special, timeout));
}

exported int pselect(int count, fd_set *restrict readable, fd_set *restrict writable,
		     fd_set *restrict special, const struct timespec *restrict timeout,
		     const sigset_t *restrict mask)
{
	return LIBC_CALL(pselect,
			 real_pselect(count, readable, writable, special, timeout, mask));
}

exported int epoll_wait(int file, struct epoll_event *events, int count, int timeout_ms)
{
	return LIBC_CALL(epoll_wait, real_epoll_wait(file, events, count, timeout_ms));
}

exported int epoll_pwait(int file, struct epoll_event *events, int count, int timeout_ms,
			 const sigset_t *mask)
{
	return LIBC_CALL(epoll_pwait,
			 real_epoll_pwait(file, events, count, timeout_ms, mask));
}

exported int epoll_pwait2(int file, struct epoll_event *events, int count,
			  const struct timespec *timeout, const sigset_t *mask)
{
	return LIBC_CALL(epoll_pwait2,
			 real_epoll_pwait2(file, events, count, timeout, mask));
}

exported pid_t wait(int *ret_status)
{
	return LIBC_CALL(wait, real_wait(ret_status));
}

exported pid_t waitpid(pid_t child, int *ret_status, int options)
{
	return LIBC_CALL(waitpid, real_waitpid(child, ret_status, options));
}

exported pid_t wait3(int *ret_status, int options, struct rusage *ret_usage)
{
	return LIBC_CALL(wait3, real_wait3(ret_status, options, ret_usage));
}

exported pid_t wait4(pid_t child, int *ret_status, int options, struct rusage *ret_usage)
{
	return LIBC_CALL(wait4, real_wait4(child, ret_status, options, ret_usage));
}

exported int waitid(idtype_t type, id_t id, siginfo_t *ret_info, int options)
{
	return LIBC_CALL(waitid, real_waitid(type, id, ret_info, options));
}

exported int sigwait(const sigset_t *restrict set, int *restrict ret_signal)
{
	return LIBC_CALL(sigwait, real_sigwait(set, ret_signal));
}

exported int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict ret_info)
{
	return LIBC_CALL(sigwaitinfo, real_sigwaitinfo(set, ret_info));
}

exported int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict ret_info,
			  const struct timespec *restrict timeout)
{
	return LIBC_CALL(sigtimedwait, real_sigtimedwait(set, ret_info, timeout));
}

exported int sigsuspend(const sigset_t *mask)
{
	return LIBC_CALL(sigsuspend, real_sigsuspend(mask));
}

exported int getaddrinfo(const char *restrict name, const char *restrict service,
			 const struct addrinfo *restrict hints,
			 struct addrinfo **restrict ret_addresses)
{
	return LIBC_CALL(getaddrinfo,
			 real_getaddrinfo(name, service, hints, ret_addresses));
}
