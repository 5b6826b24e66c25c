/* SPDX-License-Identifier: MIT */
/*
 * From a process's recording to the control file of its run. Must not believe what the
 * process says of itself further than for a message.
 */
#include "collector/live/attach_set.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/live/attach_find.h"
#include "collector/live/attach_slot.h"
#include "collector/live/control.h"
#include "collector/processes/ticks.h"
#include "collector/read/read.h"
#include "common/base/xalloc.h"
#include "common/selection.h"

#define LOOKS 200
#define PAUSE_NS 5000000

__attribute__((format(printf, 4, 5))) static int
fail(int result, char *error, size_t error_size, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error, error_size, format, arguments);
	va_end(arguments);
	return result;
}

static int fail_control(int result, int pid, char *error, size_t error_size)
{
	switch (result) {
	case -EAGAIN:
		return fail(result, error, error_size,
			    "somebody else is changing the settings of process %d", pid);
	case -EINVAL:
	case -EIO:
		return fail(result, error, error_size,
			    "the settings of process %d are damaged", pid);
	default:
		return fail(result, error, error_size,
			    "cannot change the settings of process %d: %s", pid,
			    strerror(-result));
	}
}

/* 0, or a list that is too long together with the other one. */
static int apply(const struct attach_request *request, const struct segment_run *page,
		 struct segment_setting *setting, char *error, size_t error_size)
{
	struct selection selection;
	const char *wrong;

	if (request->overhead)
		setting->overhead_percent = *request->overhead;
	if (request->has_first_overhead)
		setting->overhead_percent = page->overhead_percent;
	if (request->only)
		snprintf(setting->only, sizeof(setting->only), "%s", request->only);
	if (request->skip)
		snprintf(setting->skip, sizeof(setting->skip), "%s", request->skip);
	wrong = selection_read(&selection, setting->only, setting->skip);
	return wrong ? fail(-E2BIG, error, error_size, "the rules together: %s", wrong)
		     : 0;
}

static int publish(int pid, const struct attach_files *files,
		   const struct segment_run *page, const struct attach_request *request,
		   struct segment_setting *setting, char *error, size_t error_size)
{
	struct control control;
	struct ticks ticks;
	int result = control_open(&control, files->directory_fd, page->token), closed;

	if (result < 0)
		return fail_control(result, pid, error, error_size);
	control_setting(&control, page, setting);
	result = apply(request, page, setting, error, error_size);
	if (result < 0) {
		control_close(&control);
		return result;
	}
	ticks_calibrate(&ticks, page, NULL);
	setting->ticks = ticks_now(&ticks);
	result = control_set(&control, page, setting);
	closed = control_close(&control);
	if (result == 0)
		result = closed;
	return result < 0 ? fail_control(result, pid, error, error_size) : 0;
}

/* A process that ends meanwhile takes nothing over any more. */
static struct attach_taken look(const struct attach_files *files, uint64_t token,
				uint32_t slot, uint64_t generation)
{
	struct segment_reader reader;
	struct segment_process process;
	struct attach_taken taken = {0};

	if (segment_reader_open(&reader, files->directory_fd, files->name, token) < 0)
		return taken;
	taken.is_taken = segment_reader_process(&reader, slot, &process) == 0 &&
			 process.pid == files->inner_pid &&
			 process.setting_generation >= generation;
	taken.fitted = taken.is_taken ? process.fitted_now : 0;
	segment_reader_close(&reader);
	return taken;
}

static int set_in_file(int pid, const struct attach_files *files,
		       const struct rundir *rundir, const struct segment_run *page,
		       const struct attach_request *request, struct segment_setting *ret,
		       struct attach_taken *ret_taken, char *error, size_t error_size)
{
	struct timespec pause = {.tv_nsec = PAUSE_NS};
	uint32_t slot = 0;
	int result = page->token == files->token ? attach_slot(files, &slot) : -EINVAL;

	if (result < 0)
		return fail(result, error, error_size,
			    "the recording of process %d is damaged", pid);
	if (!slot)
		return fail(-ENOENT, error, error_size,
			    "process %d has not been recorded so far", pid);
	result = publish(pid, files, page, request, ret, error, error_size);
	if (result == 0 && request->published)
		request->published(request->data, rundir, page);
	*ret_taken = (struct attach_taken){0};
	for (int i = 0; i < LOOKS && result == 0 && !ret_taken->is_taken; i++) {
		if (i)
			nanosleep(&pause, NULL);
		*ret_taken = look(files, page->token, slot, ret->generation);
	}
	return result;
}

int attach_set(int pid, const struct attach_request *request, struct segment_setting *ret,
	       struct attach_taken *ret_taken, char *error, size_t error_size)
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
		result = set_in_file(pid, &files, &rundir, page, request, ret, ret_taken,
				     error, error_size);
	attach_close(&files);
	free(page);
	return result;
}
