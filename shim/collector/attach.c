/* SPDX-License-Identifier: MIT */
/*
 * What this is:  from a PID to its segment file and slot.
 * Runs on:       prof-analyze.
 * Must not:      believe what the maps file or the segment file says unchecked.
 * See also:      shim/collector/attach.h
 */
#include "shim/collector/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim/collector/read.h"
#include "shim/collector/segment_file.h"
#include "shim/collector/take.h"
#include "shim/collector/ticks.h"

#define PATH_ROOM (SEGMENT_PATH_MAX + 64)

__attribute__((format(printf, 4, 5))) static int
fail(int result, char *error, size_t error_size, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error, error_size, format, arguments);
	va_end(arguments);
	return result;
}

/* The process's number in its own PID namespace, as the segment file has it. */
static int own_pid(int pid)
{
	char path[64], line[256];
	int number = pid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	if (!file)
		return pid;
	while (fgets(line, sizeof(line), file)) {
		const char *last = strrchr(line, '\t');

		if (!strncmp(line, "NSpid:", 6) && last)
			number = atoi(last + 1);
	}
	fclose(file);
	return number;
}

/* The path of the segment file among the process's mappings, as we can open it. */
static int find_file(int pid, char path[PATH_ROOM], char *error, size_t error_size)
{
	char maps[64], line[SEGMENT_PATH_MAX + 128];
	int found = 0;
	FILE *file;

	snprintf(maps, sizeof(maps), "/proc/%d/maps", pid);
	file = fopen(maps, "re");
	if (!file && errno == ENOENT)
		return fail(-ESRCH, error, error_size, "there is no process %d", pid);
	if (!file)
		return fail(-errno, error, error_size, "cannot look at process %d: %s",
			    pid, strerror(errno));
	while (!found && fgets(line, sizeof(line), file)) {
		char *start = strchr(line, '/'), *end;

		line[strcspn(line, "\n")] = '\0';
		end = line + strlen(line);
		if (start && strstr(start, SEGMENT_SPOOL_SUFFIX "/") &&
		    end - start > (ptrdiff_t)sizeof(SEGMENT_FILE_SUFFIX) &&
		    !strcmp(end - strlen(SEGMENT_FILE_SUFFIX), SEGMENT_FILE_SUFFIX)) {
			snprintf(path, PATH_ROOM, "/proc/%d/root%s", pid, start);
			found = 1;
		}
	}
	fclose(file);
	if (found)
		return 0;
	return fail(-ENOENT, error, error_size, "process %d is not being recorded", pid);
}

/* The slot of the process in the file; the youngest, if its number was used before. 0:
 * there is none. */
static uint32_t find_slot(const struct segment_reader *reader, int pid,
			  uint32_t *ret_number)
{
	uint64_t start_ticks = 0;
	uint32_t found = 0;

	for (uint32_t i = 1; i < reader->slot_count; i++) {
		struct segment_process process;
		struct segment_slot slot;

		if (segment_reader_slot(reader, i, &slot) < 0 ||
		    slot.kind != SEGMENT_SLOT_PROCESS || slot.pid != pid ||
		    segment_reader_bytes(reader, i, 0, &process, sizeof(process)) < 0 ||
		    process.magic != SEGMENT_MAGIC_PROCESS ||
		    process.start_ticks < start_ticks)
			continue;
		start_ticks = process.start_ticks;
		*ret_number = process.snapshot_interval;
		found = i;
	}
	return found;
}

static int take(int pid, int fd, uint32_t slot, const struct segment_run *page,
		const char *label, char *error, size_t error_size)
{
	struct take_memory memory = {.count = 0};
	struct ticks ticks;
	int result;

	ticks_calibrate(&ticks, page);
	result = take_snapshot(fd, slot, label, SEGMENT_SNAPSHOT_COMMAND,
			       ticks_now(&ticks), &memory);
	take_forget(&memory);
	if (result == -EBUSY)
		return fail(result, error, error_size,
			    "another snapshot of process %d does not come to an end",
			    pid);
	if (result < 0)
		return fail(result, error, error_size,
			    "cannot take a snapshot of process %d: %s", pid,
			    strerror(-result));
	return 0;
}

static int take_in_file(int pid, const char *path, const struct segment_run *page,
			const char *label, uint32_t *ret_number, char *error,
			size_t error_size)
{
	struct segment_reader reader;
	int fd = open(path, O_RDWR | O_CLOEXEC), result;
	uint32_t slot;

	if (fd < 0)
		return fail(-errno, error, error_size,
			    "cannot open the recording of process %d: %s", pid,
			    strerror(errno));
	result = segment_reader_open(&reader, AT_FDCWD, path, page->token);
	if (result < 0) {
		close(fd);
		return fail(result, error, error_size,
			    "the recording of process %d is damaged", pid);
	}
	slot = find_slot(&reader, own_pid(pid), ret_number);
	segment_reader_close(&reader);
	if (slot)
		result = take(pid, fd, slot, page, label, error, error_size);
	else
		result = fail(-ENOENT, error, error_size,
			      "process %d has not been recorded so far", pid);
	close(fd);
	++*ret_number;
	return result;
}

int attach_snapshot(int pid, const char *label, uint32_t *ret_number, char *error,
		    size_t error_size)
{
	char path[PATH_ROOM], directory[PATH_ROOM];
	struct segment_run *page = malloc(sizeof(*page));
	int result = page ? find_file(pid, path, error, error_size) : -ENOMEM;

	if (result == 0) {
		snprintf(directory, sizeof(directory), "%s", path);
		*strrchr(directory, '/') = '\0';
		result = read_run_page(directory, page, error, error_size);
	}
	if (result == 0)
		result = take_in_file(pid, path, page, label, ret_number, error,
				      error_size);
	free(page);
	return result;
}
