/* SPDX-License-Identifier: MIT */
/* The ring of settings, in a row. */
#include "collector/read/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/xalloc.h"

#define END_STRING(array) ((array)[sizeof(array) - 1] = 0)

/* NaN and what is no share of time are no budget. */
static double plausible(double percent)
{
	return percent > 0 && percent <= 1000 ? percent : 0;
}

/* Those that are whole: each says which one it is. Counted, for a generation may be any
 * number, the highest, too. */
static void take(const struct segment_setting *ring, struct read_settings *ret)
{
	uint64_t most = ret->generation < SEGMENT_SETTING_LIMIT ? ret->generation
								: SEGMENT_SETTING_LIMIT;

	for (uint64_t left = most; left > 0; left--) {
		uint64_t number = ret->generation - left + 1;
		struct segment_setting *setting = &ret->all[ret->count];

		*setting = ring[number % SEGMENT_SETTING_LIMIT];
		if (setting->generation != number)
			continue;
		setting->overhead_percent = plausible(setting->overhead_percent);
		END_STRING(setting->only);
		END_STRING(setting->skip);
		ret->count++;
	}
}

static void take_sampling(uint32_t sampling, struct read_settings *ret)
{
	ret->sampling = sampling <= SEGMENT_SAMPLING_OFF ? (enum segment_sampling)sampling
							 : SEGMENT_SAMPLING_UNKNOWN;
}

static int read_file(int fd, uint64_t token, struct read_settings *ret)
{
	size_t head = offsetof(struct segment_control, settings);
	size_t size = SEGMENT_SETTING_LIMIT * sizeof(struct segment_setting);
	struct {
		uint64_t magic, token, setting_generation; /* as in segment_control */
		uint64_t table_generation;
		uint32_t sampling;
		int32_t sampling_error;
		uint32_t sample_tick_ns, reserved;
	} header;
	struct segment_setting *ring;
	int result = 0;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    header.magic != SEGMENT_MAGIC_CONTROL || header.token != token)
		return -EINVAL;
	take_sampling(header.sampling, ret);
	ret->sampling_error = header.sampling_error;
	ret->sample_tick_ns = header.sample_tick_ns;
	if (!header.setting_generation)
		return 0;
	ring = xcalloc(SEGMENT_SETTING_LIMIT, sizeof(*ring));
	ret->all = xcalloc(SEGMENT_SETTING_LIMIT, sizeof(*ret->all));
	ret->generation = header.setting_generation;
	if (pread(fd, ring, size, (off_t)head) == (ssize_t)size)
		take(ring, ret);
	else
		result = -EINVAL;
	free(ring);
	return result;
}

int read_settings(const struct rundir *rundir, uint64_t token, struct read_settings *ret)
{
	int fd = rundir_open_file(rundir->fd, SEGMENT_CONTROL_NAME, O_RDONLY), result;

	*ret = (struct read_settings){.all = NULL};
	if (fd < 0)
		return -EINVAL;
	result = read_file(fd, token, ret);
	close(fd);
	return result;
}

void read_settings_done(struct read_settings *settings)
{
	free(settings->all);
	*settings = (struct read_settings){.all = NULL};
}
