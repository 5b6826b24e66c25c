/* SPDX-License-Identifier: MIT */
/*
 * What this is:  preloaded into the collector by a test: what it writes into run.db fails,
 *                or it is killed there. FAIL_AT: at which call, counted from 1; FAIL_HOW:
 *                "kill", "stop" or the number of an error, which all later calls
 *                get, too. FAIL_COUNT: a file that gets a byte per call.
 * See also:      collectors.py
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* How sqlite calls them; the headers may name others. */
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset);
int unlink(const char *path);

static long calls;

/* 0: go on, else -1 with errno. */
static int count_call(void)
{
	const char *at = getenv("FAIL_AT"), *how = getenv("FAIL_HOW");
	const char *file = getenv("FAIL_COUNT");

	if (file) {
		int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

		if (fd >= 0 && write(fd, ".", 1) == 1)
			close(fd);
	}
	if (!at || !how || ++calls < atol(at))
		return 0;
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "stop")) {
		if (calls == atol(at))
			kill(getpid(), SIGSTOP);
		return 0;
	}
	errno = atoi(how);
	return -1;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
	ssize_t (*next)(int, const void *, size_t, off64_t) =
		(ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT,
								      "pwrite64");

	return count_call() ? -1 : next(fd, data, size, offset);
}

int unlink(const char *path)
{
	int (*next)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "unlink");

	return count_call() ? -1 : next(path);
}
