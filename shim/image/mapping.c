/* SPDX-License-Identifier: MIT */
/*
 * Which file is mapped at an address. Runs on: traced threads, any context, under the
 * process lock. Asked when an object turns up that the loader knows by a relative name or
 * that has no build-id, so hardly ever.
 */
#include "shim/image/image.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "shim/core/gate.h"
#include "shim/core/own_io.h"
#include "shim/core/syscall.h"

static const char deleted_mark[] = " (deleted)";

struct question {
	uint64_t address;
	char *path;
	size_t size;
	int is_deleted;
};

static int strip_deleted(char *path)
{
	size_t length = strlen(path), mark = sizeof(deleted_mark) - 1;

	if (length < mark || memcmp(path + length - mark, deleted_mark, mark) != 0)
		return 0;
	path[length - mark] = '\0';
	return 1;
}

/* 1: this was the line. One that was cut has no path to offer. */
static int take_line(void *data, const struct maps_line *line)
{
	struct question *question = data;

	if (question->address < line->low || question->address >= line->high)
		return 0;
	if (!line->is_cut &&
	    strlen(line->path) < question->size + sizeof(deleted_mark) - 1) {
		question->is_deleted = strip_deleted(line->path);
		if (strlen(line->path) < question->size)
			memcpy(question->path, line->path, strlen(line->path) + 1);
	}
	return 1;
}

int mapping_path(uint64_t address, char *path, size_t size, int *ret_deleted)
{
	struct question question = {address, path, size, 0};
	int result;

	path[0] = '\0';
	*ret_deleted = 0;
	if (!gate_enter())
		return -EPERM;
	result = maps_each(take_line, &question);
	gate_leave();
	*ret_deleted = question.is_deleted;
	return result > 0 ? 0 : result < 0 ? result : -ENOENT;
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
