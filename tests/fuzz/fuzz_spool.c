/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/fuzz_spool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/segment.h"

static char directory[64]; /* SPOOL/t */
static int directory_fd;

static void remove_directory(void)
{
	unlinkat(directory_fd, SEGMENT_RUN_NAME, 0);
	unlinkat(directory_fd, SEGMENT_STATE_NAME, 0);
	unlinkat(directory_fd, FUZZ_SEGMENT_NAME, 0);
	rmdir(directory);
	*strrchr(directory, '/') = '\0';
	rmdir(directory);
}

void fuzz_spool_begin(struct rundir *ret)
{
	const char *parent = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	char error[256];

	snprintf(directory, sizeof(directory), "%.30s/profshim-fuzz-XXXXXX", parent);
	if (!mkdtemp(directory))
		abort();
	strcat(directory, "/t");
	if (mkdir(directory, 0700) < 0 ||
	    rundir_open(ret, directory, error, sizeof(error)) < 0)
		abort();
	directory_fd = ret->fd;
	atexit(remove_directory);
}
