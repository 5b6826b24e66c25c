/* SPDX-License-Identifier: MIT */
/* Small files and paths, read by the constructor. */
#include "shim/boot/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/segment.h"

int facts_line(const char *path, char *text, size_t size)
{
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	got = read(fd, text, size - 1);
	close(fd);
	if (got < 0)
		return -errno;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

int facts_absolute(const char *output, char *path, size_t size)
{
	char cwd[SEGMENT_PATH_MAX];
	int length;

	if (output[0] == '/') {
		length = snprintf(path, size, "%s", output);
	} else {
		if (!getcwd(cwd, sizeof(cwd)))
			return -errno;
		length = snprintf(path, size, "%s/%s", cwd[1] ? cwd : "", output);
	}
	/* room for the names below the spool */
	return length < 0 || (size_t)length + 64 > size ? -ENAMETOOLONG : 0;
}
