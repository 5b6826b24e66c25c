/* SPDX-License-Identifier: MIT */
/*
 * From a process's recording to its slot and a snapshot. Must not believe what the
 * segment file says unchecked.
 */
#include "collector/live/attach.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/live/attach_find.h"
#include "collector/live/snapshot.h"
#include "collector/processes/ticks.h"
#include "collector/read/facts.h"
#include "collector/read/segment_file.h"
#include "common/base/xalloc.h"

static uint32_t find_slot(const struct segment_reader *reader, int pid)
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
		found = i;
	}
	return found;
}

/* *ret: the slot of the process; the youngest, if its number was used before; 0: there is
 * none. 0, or -EINVAL: the file is damaged. */
static int attach_slot(const struct attach_files *files, uint32_t *ret)
{
	struct segment_reader reader;
	int result = segment_reader_open(&reader, files->directory_fd, files->name,
					 files->token);

	if (result < 0)
		return result;
	*ret = find_slot(&reader, files->inner_pid);
	segment_reader_close(&reader);
	return 0;
}

#define WAIT_MS 250u /* for another snapshot to end */

/* The process may take snapshots of its own all the time. */
#define TRIES 20

__attribute__((format(printf, 4, 5))) static int
fail(int result, char *error, size_t error_size, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error, error_size, format, arguments);
	va_end(arguments);
	return result;
}

static int take(int pid, const struct attach_files *files, uint32_t slot,
		const struct segment_run *page, const char *label, uint32_t *ret_number,
		char *error, size_t error_size)
{
	struct live_snapshot_memory memory = {.count = 0};
	struct ticks ticks;
	int result = -EAGAIN;

	ticks_calibrate(&ticks, page, NULL);
	for (int i = 0; i < TRIES && result == -EAGAIN; i++) {
		result = live_snapshot_take(files->fd, slot, label,
					    SEGMENT_SNAPSHOT_COMMAND, WAIT_MS,
					    ticks_now(&ticks), &memory, ret_number);
		live_snapshot_forget(&memory);
	}
	switch (result) {
	case 0:
		return 0;
	case -EBUSY:
		return fail(result, error, error_size,
			    "another snapshot of process %d does not come to an end",
			    pid);
	case -EAGAIN:
		return fail(result, error, error_size,
			    "process %d takes snapshots of its own all the time", pid);
	case -EINVAL:
		return fail(result, error, error_size,
			    "the recording of process %d is damaged", pid);
	case -EIO:
		return fail(result, error, error_size,
			    "the recording of process %d was cut short, or its disk is "
			    "full",
			    pid);
	default:
		return fail(result, error, error_size,
			    "cannot take a snapshot of process %d: %s", pid,
			    strerror(-result));
	}
}

static int take_in_file(int pid, const struct attach_files *files,
			const struct segment_run *page, const char *label,
			uint32_t *ret_number, char *error, size_t error_size)
{
	uint32_t slot = 0;

	if (page->token != files->token || attach_slot(files, &slot) < 0)
		return fail(-EINVAL, error, error_size,
			    "the recording of process %d is damaged", pid);
	if (!slot)
		return fail(-ENOENT, error, error_size,
			    "process %d has not been recorded so far", pid);
	return take(pid, files, slot, page, label, ret_number, error, error_size);
}

int attach_snapshot(int pid, const char *label, uint32_t *ret_number, char *error,
		    size_t error_size)
{
	struct segment_run *page = xmalloc(sizeof(*page));
	struct rundir rundir = RUNDIR_NONE;
	struct attach_files files;
	int result;

	result = attach_open(&files, pid, error, error_size);
	snprintf(rundir.path, sizeof(rundir.path), "the recording of process %d", pid);
	rundir.fd = files.directory_fd;
	if (result == 0)
		result = read_run_page(&rundir, page, error, error_size);
	if (result == 0)
		result = take_in_file(pid, &files, page, label, ret_number, error,
				      error_size);
	attach_close(&files);
	free(page);
	return result;
}
