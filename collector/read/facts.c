/* SPDX-License-Identifier: MIT */
/*
 * Reads and checks the files run and state and the head of control of a spool directory.
 */
#include "collector/read/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/segment_control.h"
#include "collector/read/segment_file.h"

/* Reads the head of one of the run's files. Returns the bytes read, or -errno. */
static ssize_t read_head(const struct rundir *rundir, const char *name, void *ret,
			 size_t size)
{
	int fd = rundir_open_file(rundir->fd, name, O_RDONLY);
	ssize_t got;

	if (fd < 0)
		return fd;
	got = pread(fd, ret, size, 0);
	close(fd);
	return got < 0 ? 0 : got;
}

static int page_error(int result, char *error, size_t error_size,
		      const struct rundir *rundir, const char *what)
{
	snprintf(error, error_size, "%s/%s %s", rundir->path, SEGMENT_RUN_NAME, what);
	return result;
}

static void end_strings(struct segment_run *page)
{
	END_STRING(page->boot_id);
	END_STRING(page->level);
	END_STRING(page->shim_version);
	END_STRING(page->label);
	END_STRING(page->host);
	END_STRING(page->job.name);
	END_STRING(page->setting_ignored);
	END_STRING(page->only);
	END_STRING(page->skip);
	END_STRING(page->library);
	END_STRING(page->output);
	END_STRING(page->cwd);
}

int read_run_page(const struct rundir *rundir, struct segment_run *ret, char *error,
		  size_t error_size)
{
	ssize_t size;

	*ret = (struct segment_run){.magic = 0};
	size = read_head(rundir, SEGMENT_RUN_NAME, ret, sizeof(*ret));
	if (size == -EPERM)
		return page_error(-EPERM, error, error_size, rundir,
				  "is not a plain file of its owner alone; remove the "
				  "directory");
	if (size < 0) {
		snprintf(error, error_size, "cannot open %s/%s: %s", rundir->path,
			 SEGMENT_RUN_NAME, strerror((int)-size));
		return (int)size;
	}
	if (size < (ssize_t)offsetof(struct segment_run, token))
		return page_error(-EINVAL, error, error_size, rundir,
				  "is cut short: the run was never begun; remove the "
				  "directory");
	if (ret->magic != SEGMENT_MAGIC_RUN)
		return page_error(-EINVAL, error, error_size, rundir,
				  "is not the record of a run; remove the directory");
	if (ret->version != SEGMENT_VERSION || ret->size != sizeof(*ret))
		return page_error(
			-EINVAL, error, error_size, rundir,
			"was written by another version of profshim; collect it "
			"with that version");
	if (size < (ssize_t)sizeof(*ret))
		return page_error(-EINVAL, error, error_size, rundir,
				  "is cut short: the run was never begun; remove the "
				  "directory");
	end_strings(ret);
	return 0;
}

int read_run_state(const struct rundir *rundir, const struct segment_run *page,
		   struct segment_state *ret)
{
	ssize_t size;

	*ret = (struct segment_state){.magic = 0};
	size = read_head(rundir, SEGMENT_STATE_NAME, ret, sizeof(*ret));
	if (size < 0)
		return (int)size;
	if (size == (ssize_t)sizeof(*ret) && ret->magic == SEGMENT_MAGIC_STATE &&
	    ret->token == page->token)
		return 0;
	*ret = (struct segment_state){.magic = 0};
	return -EINVAL;
}

void read_sampling(const struct rundir *rundir, uint64_t token, struct read_sampling *ret)
{
	struct { /* as in segment_control */
		uint64_t magic, token;
		uint32_t answer_count, sampling;
		int32_t sampling_error;
		uint32_t sample_tick_ns;
	} head;

	*ret = (struct read_sampling){.answer = SEGMENT_SAMPLING_UNKNOWN};
	if (read_head(rundir, SEGMENT_CONTROL_NAME, &head, sizeof(head)) ==
		    sizeof(head) &&
	    head.magic == SEGMENT_MAGIC_CONTROL && head.token == token) {
		if (head.sampling <= SEGMENT_SAMPLING_OFF)
			ret->answer = (enum segment_sampling)head.sampling;
		ret->error = head.sampling_error;
		ret->tick_ns = head.sample_tick_ns;
	}
}
