/* SPDX-License-Identifier: MIT */
/*
 * Reads files below the directories of --source. Recorded names are not trusted: each
 * part is opened by itself below the previous one without following links, so there is
 * no way out. Must not open names that begin with a dot (.ssh, .git, .env), anything but
 * plain files, or files of other users that only their owner may read.
 */
#include "analyzer/reports/source/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PARTS_MOST 64
#define PART_SIZE 256 /* NAME_MAX and a NUL */
#define LARGEST_FILE (4 << 20)

#define NOT_THERE "not there"

/* A name from its root, or its tail if it is too long. */
struct name {
	char parts[PARTS_MOST][PART_SIZE];
	size_t count;
	bool is_whole; /* absolute and complete */
};

static void open_root(const char *path, struct source_root *ret)
{
	struct stat status;

	ret->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (ret->fd < 0 || fstat(ret->fd, &status) < 0)
		command_fail(STATUS_FAILED, "--source: %s: %s", path, strerror(errno));
	ret->owner = status.st_uid;
	ret->path = realpath(path, NULL);
}

void source_tree_open(struct report_input *input, struct source_tree *ret)
{
	const struct report_options *options = input->options;

	ret->roots = xcalloc(options->source_count, sizeof(*ret->roots));
	for (size_t i = 0; i < options->source_count; i++)
		open_root(options->sources[i], &ret->roots[ret->count++]);
}

/* ".." removes the part before it, if there is one. */
static bool split(const char *text, struct name *ret)
{
	ret->count = 0;
	ret->is_whole = *text == '/';
	while (*text) {
		size_t size = strcspn(text, "/");

		if (size >= PART_SIZE)
			return false;
		if (size == 2 && memcmp(text, "..", 2) == 0) {
			ret->count -= ret->count > 0;
		} else if (size && !(size == 1 && *text == '.')) {
			if (ret->count == PARTS_MOST) {
				memmove(ret->parts[0], ret->parts[1],
					sizeof(ret->parts) - sizeof(ret->parts[0]));
				ret->count--;
				ret->is_whole = false;
			}
			memcpy(ret->parts[ret->count], text, size);
			ret->parts[ret->count++][size] = '\0';
		}
		text += size + (text[size] == '/');
	}
	return ret->count > 0;
}

/* The page may be shown to anybody. A file that only its owner may read must belong to
 * the user, and have no second name, which somebody else could have made. */
static const char *why_not(const struct source_root *root, const struct stat *status)
{
	bool is_own = status->st_uid == root->owner || status->st_uid == geteuid();

	if (S_ISLNK(status->st_mode))
		return "a link, which is not followed";
	if (!S_ISREG(status->st_mode))
		return "not a plain file";
	if (!(status->st_mode & S_IROTH) && !(is_own && status->st_nlink == 1))
		return "somebody else's, and not for all to read";
	if (status->st_size > LARGEST_FILE)
		return "larger than 4 MiB";
	return NULL;
}

static const char *read_text(int fd, const struct stat *status, struct source_text *ret)
{
	char part[16384];

	while (ret->text.size <= LARGEST_FILE) {
		ssize_t size = read(fd, part, sizeof(part));

		if (size < 0)
			return "not readable";
		if (size == 0)
			break;
		if (memchr(part, 0, (size_t)size))
			return "not a text";
		strbuf_add(&ret->text, part, (size_t)size);
	}
	ret->changed_s = status->st_mtime;
	return ret->text.size > LARGEST_FILE ? "larger than 4 MiB" : NULL;
}

/* The first check avoids opening what reacts to it; the second one checks the open
 * file. */
static const char *read_file(const struct source_root *root, int directory_fd,
			     const char *name, struct source_text *ret)
{
	struct stat status;
	const char *trouble;
	int fd;

	if (fstatat(directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return NOT_THERE;
	trouble = why_not(root, &status);
	if (trouble)
		return trouble;
	fd = openat(directory_fd, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return "not readable";
	trouble = fstat(fd, &status) < 0 ? "not readable" : why_not(root, &status);
	if (!trouble)
		trouble = read_text(fd, &status, ret);
	close(fd);
	return trouble;
}

/* Reads the file below the root whose name is the tail from a part on. */
static const char *read_end(const struct source_root *root, const struct name *name,
			    size_t first, struct source_text *ret)
{
	const char *trouble = NOT_THERE;
	int fd = root->fd;

	for (size_t i = first; i < name->count; i++)
		if (name->parts[i][0] == '.')
			return NOT_THERE;
	for (size_t i = first; i + 1 < name->count && fd >= 0; i++) {
		int next = openat(fd, name->parts[i],
				  O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (fd != root->fd)
			close(fd);
		fd = next;
	}
	if (fd >= 0)
		trouble = read_file(root, fd, name->parts[name->count - 1], ret);
	if (fd >= 0 && fd != root->fd)
		close(fd);
	if (strcmp(trouble ? trouble : "", NOT_THERE) == 0)
		return trouble;
	strbuf_reset(&ret->path);
	for (size_t i = first; i < name->count; i++)
		strbuf_printf(&ret->path, "%s%s", i > first ? "/" : "", name->parts[i]);
	return trouble;
}

/* How many leading parts of the name are the root; 0: the file is not below it. */
static size_t parts_of_root(const struct source_root *root, const struct name *name)
{
	struct name own;

	if (!name->is_whole || !root->path || !split(root->path, &own) || !own.is_whole ||
	    own.count >= name->count)
		return 0;
	for (size_t i = 0; i < own.count; i++)
		if (strcmp(own.parts[i], name->parts[i]) != 0)
			return 0;
	return own.count;
}

const char *source_tree_read(const struct source_tree *tree, const char *recorded,
			     struct source_text *ret)
{
	const char *trouble = NOT_THERE;
	struct name name;

	if (!split(recorded, &name))
		return NOT_THERE;
	for (size_t i = 0; i < tree->count; i++) {
		size_t first = parts_of_root(&tree->roots[i], &name);

		if (first)
			trouble = read_end(&tree->roots[i], &name, first, ret);
		if (!trouble || strcmp(trouble, NOT_THERE) != 0)
			return trouble;
	}
	for (size_t first = 0; first < name.count; first++)
		for (size_t i = 0; i < tree->count; i++) {
			trouble = read_end(&tree->roots[i], &name, first, ret);
			if (!trouble || strcmp(trouble, NOT_THERE) != 0)
				return trouble;
		}
	return NOT_THERE;
}
