/* SPDX-License-Identifier: MIT */
/*
 * What this is:  whether another thread waits, as the kernel says: what shall wait for it
 *                on a busy machine, too, cannot go by a clock.
 */
#pragma once

#include "truth.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Makes no call of libc that would be recorded itself. */
UNTRACED int is_asleep(int tid)
{
	char path[64], text[200] = "";
	long file, size;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
	size = syscall(SYS_read, file, text, sizeof(text) - 1);
	syscall(SYS_close, file);
	return size > 0 && strstr(text, ") S ");
}
