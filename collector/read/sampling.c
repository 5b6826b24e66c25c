/* SPDX-License-Identifier: MIT */
/* The head of `control`. */
#include "collector/read/sampling.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/segment_control.h"

void read_sampling(const struct rundir *rundir, uint64_t token, struct read_sampling *ret)
{
	struct { /* as in segment_control */
		uint64_t magic, token;
		uint32_t answer_count, sampling;
		int32_t sampling_error;
		uint32_t sample_tick_ns;
	} head;
	int fd = rundir_open_file(rundir->fd, SEGMENT_CONTROL_NAME, O_RDONLY);

	*ret = (struct read_sampling){.answer = SEGMENT_SAMPLING_UNKNOWN};
	if (fd < 0)
		return;
	if (pread(fd, &head, sizeof(head), 0) == sizeof(head) &&
	    head.magic == SEGMENT_MAGIC_CONTROL && head.token == token) {
		if (head.sampling <= SEGMENT_SAMPLING_OFF)
			ret->answer = (enum segment_sampling)head.sampling;
		ret->error = head.sampling_error;
		ret->tick_ns = head.sample_tick_ns;
	}
	close(fd);
}
