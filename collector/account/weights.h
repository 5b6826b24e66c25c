/* SPDX-License-Identifier: MIT */
/*
 * On which paths a function's calls with frames are: in a lane, a process and the run.
 * Its calls without frames are thought to be on the same paths. Must not give more paths
 * than WEIGHTS_MOST for those of a process or the run: the most frequent ones.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct weight {
	uint32_t function, process, lane, path;
	uint64_t calls;
	uint64_t passed_calls; /* that it was a level of, see struct merge_cell */
};

struct weight_list {
	struct weight *all;
	size_t count;
};

/* All zero is empty. */
struct weights {
	struct weight_list lanes, processes, run;
};

#define WEIGHTS_MOST 256u

/* Adds calls, or such as it passed on, of one path of a lane. */
void weights_add(struct weights *weights, const struct weight *weight);
/* After the last. */
void weights_finish(struct weights *weights);
/* The paths of the function in the lane; when there are none in its process, then in the
 * run. Borrowed; *ret_count 0: nowhere. */
const struct weight *weights_find(const struct weights *weights, uint32_t function,
				  uint32_t process, uint32_t lane, size_t *ret_count);
void weights_done(struct weights *weights);

/*
 * By what calls without frames are divided among paths. A path without a timed call is a
 * level of others' calls: beside paths with timed ones it has as much as the rarest of
 * these can have been, for its calls were not seen while others' were timed; where no
 * path has any, the calls that it passed on count.
 */
int weights_are_timed(const struct weight *all, size_t count);
static inline uint64_t weights_value(const struct weight *weight, int are_timed)
{
	if (!are_timed)
		return weight->passed_calls;
	return weight->calls ? weight->calls : 1;
}

/* Divides total by shares, which are not all 0, into whole numbers that add up to it:
 * those that lose most by rounding down get one more, the first of equals before others.
 */
void weights_apportion(uint64_t total, const uint64_t *shares, size_t count,
		       uint64_t *ret);
