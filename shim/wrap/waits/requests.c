/* SPDX-License-Identifier: MIT */
/* Requests of which some are waits: locks on parts of files that other processes have,
 * and reading and writing that goes on by itself (aio). */
#undef _FILE_OFFSET_BITS /* both names of some are defined */

#include <aio.h>
#include <fcntl.h>
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
