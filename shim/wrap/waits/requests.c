/* SPDX-License-Identifier: MIT */
/*
 * Waiting for locks on parts of files that other processes have, for POSIX's message
 * queues, and for reading and writing that goes on by itself (aio).
 */
#undef _FILE_OFFSET_BITS /* both names of some are defined */

#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdarg.h>

#include "common/attributes.h"
#include "shim/wrap/libc_call.h"
#include "shim/wrap/real.h"

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

exported int mq_send(mqd_t queue, const char *message, size_t size, unsigned int priority)
{
	return LIBC_CALL(mq_send, real_mq_send(queue, message, size, priority));
}

exported int mq_timedsend(mqd_t queue, const char *message, size_t size,
			  unsigned int priority, const struct timespec *until)
{
	return LIBC_CALL(mq_send,
			 real_mq_timedsend(queue, message, size, priority, until));
}

exported ssize_t mq_receive(mqd_t queue, char *to, size_t size,
			    unsigned int *ret_priority)
{
	return LIBC_CALL(mq_receive, real_mq_receive(queue, to, size, ret_priority));
}

exported ssize_t mq_timedreceive(mqd_t queue, char *restrict to, size_t size,
				 unsigned int *restrict ret_priority,
				 const struct timespec *restrict until)
{
	return LIBC_CALL(mq_receive,
			 real_mq_timedreceive(queue, to, size, ret_priority, until));
}

exported int aio_suspend(const struct aiocb *const requests[], int count,
			 const struct timespec *restrict timeout)
{
	return LIBC_CALL(aio_suspend, real_aio_suspend(requests, count, timeout));
}

exported int aio_suspend64(const struct aiocb64 *const requests[], int count,
			   const struct timespec *restrict timeout)
{
	return LIBC_CALL(aio_suspend, real_aio_suspend64(requests, count, timeout));
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
