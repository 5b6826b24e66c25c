/* SPDX-License-Identifier: MIT */
/*
 * Reading /proc/self/maps, a piece at a time. Runs on: traced threads, any context,
 * under the process lock. Must not call libc, or keep a descriptor.
 *
 * Read when an object turns up that the loader knows by a relative name or that has no
 * build-id, so hardly ever: 60 us for 300 mappings.
 */
#include "shim/image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "shim/core/gate.h"
#include "shim/core/own_io.h"
#include "shim/core/syscall.h"

#define PIECE_BYTES 1024
#define LINE_BYTES 640 /* 73 before the path */

static const char deleted_mark[] = " (deleted)";

/* A line of maps as far as it fits, without its newline. */
struct line {
	size_t used;
	char text[LINE_BYTES];
};

static const char *read_number(const char *text, uint64_t *ret)
{
	*ret = 0;
	for (;; text++) {
		if (*text >= '0' && *text <= '9')
			*ret = *ret << 4 | (uint64_t)(*text - '0');
		else if (*text >= 'a' && *text <= 'f')
			*ret = *ret << 4 | (uint64_t)(*text - 'a' + 10);
		else
			return text;
	}
}

/* "START-END rwxp OFFSET DEVICE INODE   PATH": the path, or NULL: not this line. */
static const char *path_at(const struct line *line, uint64_t address)
{
	uint64_t start, end;
	const char *at = read_number(line->text, &start);

	if (*at != '-')
		return NULL;
	at = read_number(at + 1, &end);
	if (address < start || address >= end)
		return NULL;
	for (int field = 0; field < 4; field++) {
		while (*at == ' ')
			at++;
		while (*at && *at != ' ')
			at++;
	}
	while (*at == ' ')
		at++;
	return at;
}

static int strip_deleted(char *path)
{
	size_t length = strlen(path), mark = sizeof(deleted_mark) - 1;

	if (length < mark || memcmp(path + length - mark, deleted_mark, mark) != 0)
		return 0;
	path[length - mark] = '\0';
	return 1;
}

/* 1: this was the line. A line that was cut has no path to offer. */
static int take_line(struct line *line, uint64_t address, char *path, size_t size,
		     int *ret_deleted)
{
	int is_cut = line->used >= LINE_BYTES - 1;
	const char *found;
	size_t length;

	line->text[line->used] = '\0';
	line->used = 0;
	found = path_at(line, address);
	if (!found)
		return 0;
	length = strlen(found);
	path[0] = '\0';
	if (!is_cut && length < size + sizeof(deleted_mark) - 1) {
		*ret_deleted = strip_deleted((char *)found);
		length = strlen(found);
		if (length < size)
			memcpy(path, found, length + 1);
	}
	return 1;
}

static int find_line(int fd, uint64_t address, char *path, size_t size, int *ret_deleted)
{
	struct line line = {.used = 0};
	char piece[PIECE_BYTES];
	long got;

	while ((got = own_io_read(fd, piece, sizeof(piece))) > 0) {
		for (long i = 0; i < got; i++) {
			if (piece[i] != '\n') {
				if (line.used < LINE_BYTES - 1)
					line.text[line.used++] = piece[i];
			} else if (take_line(&line, address, path, size, ret_deleted)) {
				return 0;
			}
		}
	}
	return got < 0 ? (int)got : -ENOENT;
}

int mapping_path(uint64_t address, char *path, size_t size, int *ret_deleted)
{
	long fd, result;

	path[0] = '\0';
	*ret_deleted = 0;
	if (!gate_enter())
		return -EPERM;
	fd = SYSCALL(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0,
		     0);
	result = fd;
	if (fd >= 0) {
		result = find_line((int)fd, address, path, size, ret_deleted);
		SYSCALL(SYS_close, fd, 0, 0, 0, 0, 0);
	}
	gate_leave();
	return (int)result;
}

void mapping_identify(struct segment_module *module)
{
	struct stat info;

	if (module->path[0] != '/' || !gate_enter())
		return;
	if (SYSCALL(SYS_stat, module->path, &info, 0, 0, 0, 0) == 0 &&
	    S_ISREG(info.st_mode)) {
		module->device = info.st_dev;
		module->inode = info.st_ino;
		module->size_bytes = (uint64_t)info.st_size;
		module->mtime_ns =
			(int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
	}
	gate_leave();
}

void mapping_absolute(char *path, size_t size)
{
	char directory[sizeof(((struct segment_module *)0)->path)];
	size_t length = strlen(path);
	long used;

	if (path[0] == '/' || !gate_enter())
		return;
	/* the length with its NUL; "(unreachable)..." when it is outside of the root */
	used = SYSCALL(SYS_getcwd, directory, sizeof(directory), 0, 0, 0, 0);
	gate_leave();
	if (used <= 0 || directory[0] != '/' || (size_t)used + length + 1 > size)
		return;
	memmove(path + used, path, length + 1);
	memcpy(path, directory, (size_t)used);
	path[used - 1] = '/';
}
