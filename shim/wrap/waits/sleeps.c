/* SPDX-License-Identifier: MIT */
/* Sleeping for a time. */
#include <time.h>
#include <unistd.h>

#include "common/attributes.h"
#include "shim/wrap/libc_call.h"
#include "shim/wrap/real.h"

exported int nanosleep(const struct timespec *duration, struct timespec *left)
{
	return LIBC_CALL(nanosleep, real_nanosleep(duration, left));
}

exported int clock_nanosleep(clockid_t clock, int flags, const struct timespec *duration,
			     struct timespec *left)
{
	return LIBC_CALL(clock_nanosleep,
			 real_clock_nanosleep(clock, flags, duration, left));
}

exported int usleep(useconds_t duration_us)
{
	return LIBC_CALL(usleep, real_usleep(duration_us));
}

exported unsigned int sleep(unsigned int duration_s)
{
	return LIBC_CALL(sleep, real_sleep(duration_s));
}
