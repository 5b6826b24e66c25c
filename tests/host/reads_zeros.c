/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program whose CPU time is in one call of libc.
 * Must not:      print anything that differs from run to run.
 * See also:      samples.py
 */
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#define UNHOOKED __attribute__((no_instrument_function))

static char zeros[1 << 18];

UNHOOKED static int has_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec == 0 && now.tv_nsec < 400000000;
}

static __attribute__((noinline)) long take(int fd)
{
	return read(fd, zeros, sizeof(zeros));
}

int main(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	while (has_time())
		if (take(fd) < 0)
			return 1;
	return 0;
}
