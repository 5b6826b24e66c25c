/* SPDX-License-Identifier: MIT */
/*
 * Reads what git knows of a work tree: its commit and branch. Starts no git, which may
 * run what a repository's configuration says. Must not look into trees of other users.
 *
 * Formats: gitrepository-layout(5), git-worktree(1).
 */
#include "analyzer/archive/private.h"

#include "common/base/xalloc.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_MOST (16u << 20) /* packed-refs may be long */
#define DIRECTORIES_MOST 64
#define HASH_LEAST 40
#define HASH_MOST 64

/* The text of DIRECTORY/NAME, owned by caller; NULL: it is no file of ours. */
static char *read_file(const char *directory, const char *name)
{
	char *path = xasprintf("%s/%s", directory, name), *text = NULL;
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	ssize_t size;

	free(path);
	if (descriptor < 0)
		return NULL;
	if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
	    status.st_uid == geteuid() && status.st_size < FILE_MOST) {
		text = xcalloc((size_t)status.st_size + 1, 1);
		size = read(descriptor, text, (size_t)status.st_size);
		text[size > 0 ? size : 0] = 0;
	}
	close(descriptor);
	return text;
}

/* The rest of a text behind its beginning, up to the end of the line; NULL: it begins
 * otherwise. Owned by caller. */
static char *behind(const char *text, const char *beginning)
{
	size_t length = strlen(beginning);

	return text && strncmp(text, beginning, length) == 0
		       ? xstrndup(text + length, strcspn(text + length, "\r\n"))
		       : NULL;
}

/* The repository of a work tree, if the directory is its top. */
static char *repository_at(const char *directory)
{
	char *path = xasprintf("%s/.git", directory), *text, *named, *joined;
	struct stat status;

	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
	    status.st_uid == geteuid())
		return path;
	free(path);
	text = read_file(directory, ".git");
	named = behind(text, "gitdir: ");
	free(text);
	if (!named || *named == '/')
		return named;
	joined = xasprintf("%s/%s", directory, named);
	free(named);
	return joined;
}

static char *find_repository(const char *directory)
{
	char *at = xstrdup(directory), *repository = NULL;

	for (int i = 0; i < DIRECTORIES_MOST && *at == '/' && !repository; i++) {
		repository = repository_at(at);
		*strrchr(at, '/') = 0;
	}
	free(at);
	return repository;
}

/* The seconds of "2026-11-29T01:02:03.456Z"; 0: it is no time. */
static time_t seconds_of(const char *utc)
{
	struct tm time = {0};

	if (sscanf(utc, "%4d-%2d-%2dT%2d:%2d:%2d", &time.tm_year, &time.tm_mon,
		   &time.tm_mday, &time.tm_hour, &time.tm_min, &time.tm_sec) != 6)
		return 0;
	time.tm_year -= 1900;
	time.tm_mon--;
	return timegm(&time);
}

/* git writes a line to logs/HEAD, or else HEAD itself, whenever HEAD moves. */
static bool has_moved(const char *repository, const char *since_utc)
{
	static const char *const files[] = {"logs/HEAD", "HEAD"};
	struct stat status;

	for (size_t i = 0; i < 2; i++) {
		char *path = xasprintf("%s/%s", repository, files[i]);
		bool is_there = stat(path, &status) == 0;

		free(path);
		if (is_there)
			return status.st_mtime > seconds_of(since_utc);
	}
	return true;
}

static bool is_hash(const char *text, size_t length)
{
	size_t digits = 0;

	while (digits < length && isxdigit((unsigned char)text[digits]))
		digits++;
	return digits == length && length >= HASH_LEAST && length <= HASH_MOST;
}

/* A line "HASH REF" of packed-refs. */
static char *packed_commit(const char *common, const char *ref)
{
	char *text = read_file(common, "packed-refs"), *rest = text, *line, *found = NULL;

	while (text && !found && (line = strsep(&rest, "\n"))) {
		size_t length = strcspn(line, " ");

		if (line[length] && strcmp(line + length + 1, ref) == 0)
			found = xstrndup(line, length);
	}
	free(text);
	return found;
}

/* The commit of a ref such as refs/heads/main. A work tree beside the first one shares
 * refs with it. */
static char *commit_of(const char *repository, const char *ref)
{
	char *text = read_file(repository, "commondir"), *named = behind(text, "");
	auto_free char *common = !named		 ? xstrdup(repository)
				 : *named == '/' ? xstrdup(named)
						 : xasprintf("%s/%s", repository, named);
	char *found;

	free(text);
	free(named);
	text = read_file(common, ref);
	found = text ? behind(text, "") : packed_commit(common, ref);
	free(text);
	return found;
}

void git_tags(const char *directory, const char *since_utc, git_tell *tell, void *context)
{
	auto_free char *repository = find_repository(directory), *head = NULL,
		       *ref = NULL, *commit = NULL;

	if (!repository || has_moved(repository, since_utc))
		return;
	head = read_file(repository, "HEAD");
	ref = behind(head, "ref: ");
	commit = !ref && head		     ? behind(head, "")
		 : ref && !strstr(ref, "..") ? commit_of(repository, ref)
					     : NULL;
	if (commit && is_hash(commit, strlen(commit)))
		tell(context, "commit", commit);
	if (ref && strncmp(ref, "refs/heads/", 11) == 0)
		tell(context, "branch", ref + 11);
}
