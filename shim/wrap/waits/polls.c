/* SPDX-License-Identifier: MIT */
/*
 * Waiting for descriptors, children, names of hosts, and what processes share.
 * The fortified ones are what programs call that were compiled with checks of their
 * buffers.
 */
#undef _FILE_OFFSET_BITS /* both names of lockf are defined */

#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

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

exported int getaddrinfo(const char *restrict name, const char *restrict service,
			 const struct addrinfo *restrict hints,
			 struct addrinfo **restrict ret_addresses)
{
	return LIBC_CALL(getaddrinfo,
			 real_getaddrinfo(name, service, hints, ret_addresses));
}

exported int getnameinfo(const struct sockaddr *restrict address, socklen_t address_size,
			 char *restrict host, socklen_t host_size, char *restrict service,
			 socklen_t service_size, int flags)
{
	return LIBC_CALL(getnameinfo,
			 real_getnameinfo(address, address_size, host, host_size, service,
					  service_size, flags));
}

exported struct hostent *gethostbyname(const char *name)
{
	return LIBC_CALL(gethostbyname, real_gethostbyname(name));
}

exported int system(const char *command)
{
	return LIBC_CALL(system, real_system(command));
}

/* Locks on files, which other processes have. */
exported int flock(int file, int operation)
{
	return LIBC_CALL(flock, real_flock(file, operation));
}

exported int lockf(int file, int operation, off_t size)
{
	return LIBC_CALL(lockf, real_lockf(file, operation, size));
}

exported int lockf64(int file, int operation, off64_t size)
{
	return LIBC_CALL(lockf, real_lockf64(file, operation, size));
}

exported int semop(int set, struct sembuf *operations, size_t count)
{
	return LIBC_CALL(semop, real_semop(set, operations, count));
}

exported int semtimedop(int set, struct sembuf *operations, size_t count,
			const struct timespec *timeout)
{
	return LIBC_CALL(semop, real_semtimedop(set, operations, count, timeout));
}

exported int msgsnd(int queue, const void *message, size_t size, int flags)
{
	return LIBC_CALL(msgsnd, real_msgsnd(queue, message, size, flags));
}

exported ssize_t msgrcv(int queue, void *message, size_t size, long type, int flags)
{
	return LIBC_CALL(msgrcv, real_msgrcv(queue, message, size, type, flags));
}
