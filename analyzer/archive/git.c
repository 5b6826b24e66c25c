/* SPDX-License-Identifier: MIT */
/*
 * Reads what git knows of a work tree: its commit and branch. Starts no git, which may
 * run what a repository's configuration says. Must not look into trees of other users.
 *
 * Where HEAD is, and since when, is in its log: refs, packed or of another work tree,
 * need not be read. Formats: gitrepository-layout(5), git-worktree(1).
 */
#include "analyzer/archive/private.h"

#include "common/base/xalloc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TAIL_BYTES 4096 /* a line of the log is shorter, but for very long messages */
#define DIRECTORIES_MOST 64
#define HASH_LEAST 40

/* The end of the text of DIRECTORY/NAME, if it is a file of ours; else "". Returns when
 * it was written. */
static time_t read_tail(const char *directory, const char *name, char ret[TAIL_BYTES])
{
	auto_free char *path = xasprintf("%s/%s", directory, name);
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status = {0};
	ssize_t size = 0;
	off_t skipped;

	if (descriptor >= 0 && fstat(descriptor, &status) == 0 &&
	    S_ISREG(status.st_mode) && status.st_uid == geteuid()) {
		skipped =
			status.st_size < TAIL_BYTES ? 0 : status.st_size - TAIL_BYTES + 1;
		size = pread(descriptor, ret, TAIL_BYTES - 1, skipped);
	}
	ret[size > 0 ? size : 0] = 0;
	if (descriptor >= 0)
		close(descriptor);
	return status.st_mtime;
}

/* The repository of the work tree that the directory is in; owned by caller; NULL: none
 * of ours. */
static char *find_repository(const char *directory)
{
	auto_free char *at = xstrdup(directory);
	char link[TAIL_BYTES];

	for (int i = 0; i < DIRECTORIES_MOST && *at == '/'; i++) {
		char *path = xasprintf("%s/.git", at);
		struct stat status;

		if (stat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
		    status.st_uid == geteuid())
			return path;
		free(path);
		/* of a work tree beside the first one: a file that says where */
		read_tail(at, ".git", link);
		link[strcspn(link, "\r\n")] = 0;
		if (strncmp(link, "gitdir: ", 8) == 0)
			return link[8] == '/' ? xstrdup(link + 8)
					      : xasprintf("%s/%s", at, link + 8);
		*strrchr(at, '/') = 0;
	}
	return NULL;
}

/* The seconds of "2026-11-29T01:02:03.456Z"; 0: it is no time. */
static time_t seconds_of(const char *utc)
{
	struct tm time = {0};
	const char *end = strptime(utc, "%Y-%m-%dT%H:%M:%S", &time);

	return end ? timegm(&time) : 0;
}

void git_tags(const char *directory, const char *since_utc, git_tell *tell, void *context)
{
	auto_free char *repository = find_repository(directory);
	char text[TAIL_BYTES], commit[65] = "", *line;
	time_t moved;

	if (!repository)
		return;
	moved = read_tail(repository, "logs/HEAD", text);
	/* each line is "BEFORE AFTER NAME <ADDRESS> SECONDS ZONE\tWHY" */
	text[strlen(text) ? strlen(text) - 1 : 0] = 0;
	line = strrchr(text, '\n');
	sscanf(line ? line : text, " %*64[0-9a-f] %64[0-9a-f]", commit);
	if (strlen(commit) < HASH_LEAST || moved > seconds_of(since_utc))
		return;
	tell(context, "commit", commit);
	read_tail(repository, "HEAD", text);
	text[strcspn(text, "\r\n")] = 0;
	if (strncmp(text, "ref: refs/heads/", 16) == 0)
		tell(context, "branch", text + 16);
}
