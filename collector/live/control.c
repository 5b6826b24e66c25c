/* SPDX-License-Identifier: MIT */
/*
 * Publishing answers. Must not count one before it has its pages: a process would meet a
 * full disk in the middle of a call.
 */
#include "collector/live/control.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/live/shared_map.h"
#include "collector/read/rundir.h"

static int map(struct control *control, uint64_t token)
{
	struct stat status;

	if (fstat(control->fd, &status) < 0)
		return -errno;
	if (status.st_size < (off_t)sizeof(*control->shared))
		return -EINVAL;
	control->shared = shared_map(control->fd, 0, sizeof(*control->shared),
				     PROT_READ | PROT_WRITE);
	if (!control->shared)
		return -ENOMEM;
	if (control->shared->magic == SEGMENT_MAGIC_CONTROL &&
	    control->shared->token == token)
		return 0;
	shared_unmap(control->shared);
	return -EINVAL;
}

int control_open(struct control *ret, int directory_fd, uint64_t token)
{
	int result;

	*ret = (struct control){
		.fd = rundir_open_file(directory_fd, SEGMENT_CONTROL_NAME, O_RDWR)};
	if (ret->fd < 0)
		return ret->fd;
	result = map(ret, token);
	if (result < 0)
		close(ret->fd);
	return result;
}

void control_close(struct control *control)
{
	shared_unmap(control->shared);
	close(control->fd);
}

static int reserve(const struct control *control, const void *start, size_t size)
{
	off_t offset = (const char *)start - (const char *)control->shared;

	return -posix_fallocate(control->fd, offset, (off_t)size);
}

int control_answer(struct control *control, const struct segment_answer *object,
		   const struct segment_fitting *fittings, uint32_t count)
{
	struct segment_answer *answer = &control->shared->answers[control->answer_count];
	struct segment_fitting *place =
		&control->shared->fittings[control->fitting_count];
	int result;

	if (control->answer_count == SEGMENT_ANSWER_LIMIT ||
	    count > SEGMENT_FITTING_LIMIT - control->fitting_count)
		return -E2BIG;
	result = reserve(control, answer, sizeof(*answer));
	if (result == 0 && count)
		result = reserve(control, place, count * sizeof(*place));
	if (result < 0)
		return result;
	*answer = *object;
	answer->first = control->fitting_count;
	answer->count = count;
	if (count)
		memcpy(place, fittings, count * sizeof(*place));
	control->answer_count++;
	control->fitting_count += count;
	/* release: who sees the number sees the answer */
	__atomic_store_n(&control->shared->answer_count, control->answer_count,
			 __ATOMIC_RELEASE);
	return shared_map_is_lost(control->shared) ? -EIO : 0;
}
