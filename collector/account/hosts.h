/* SPDX-License-Identifier: MIT */
/*
 * In whose code calls without a frame are. Of copies that are inlined the host is known,
 * since each host has a count of its own (common/segment_recording.h): so they are on
 * paths of that one, wherever the function's calls with frames were seen. Must not be
 * asked before all lanes have been noted.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/account/kept.h"
#include "collector/account/weights.h"
#include "collector/merge/merge.h"

struct hosts;

/* Of the paths that there are now. */
struct hosts *hosts_new(const struct merge *merge);
void hosts_free(struct hosts *hosts);

/* Notes a lane's cell; when that is done: finds who has the code of each path. */
void hosts_note(struct hosts *hosts, const struct kept_cell *cell);
void hosts_find(struct hosts *hosts);

/* Are there calls that are known to be in the code of this path's function? */
int hosts_has(const struct hosts *hosts, uint32_t path);

/* Paths for calls without a frame, weighted by calls with frames. */
struct hosts_places {
	const struct weight *all;
	size_t count;
	uint32_t host; /* only those in its code count; MERGE_NO_FUNCTION: all */
	int is_above;  /* the calls are yet to be put below them */
};

int hosts_has_place(const struct hosts *hosts, const struct hosts_places *places,
		    uint32_t path);

/* Chooses for the calls of a mode. ret->count 0: nowhere. */
void hosts_choose(const struct hosts *hosts, const struct weights *weights,
		  const struct kept_lane *lane, const struct merge_mode *mode,
		  struct hosts_places *ret);
