/* SPDX-License-Identifier: MIT */
/*
 * What a run was asked for while it went on (common/segment_control.h). Must not believe
 * a number of the file.
 */
#pragma once

#include <stdint.h>

#include "common/segment_control.h"
#include "common/segment_samples.h"
#include "collector/read/rundir.h"

struct read_settings {
	struct segment_setting
		*all; /* the latest, in their order; strings end with NUL */
	uint32_t count;
	uint64_t generation; /* how many there were */
	/* what the collector said of samples */
	enum segment_sampling sampling;
	int32_t sampling_error;
	uint32_t sample_tick_ns;
};

/* 0, or -EINVAL: there is no such file, or it is damaged; there are no settings then.
 * read_settings_done() in any case. */
int read_settings(const struct rundir *rundir, uint64_t token, struct read_settings *ret);
void read_settings_done(struct read_settings *settings);
