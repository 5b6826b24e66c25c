/* SPDX-License-Identifier: MIT */
/* A lane's arrays, read and checked. Must not trust a count or an offset in the file. */
#include "collector/read/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/read/segment_file.h"

/* Appends the open frames of each fiber, whose depth becomes the number that is there. */
static int read_fiber_frames(const struct segment_reader *reader, uint32_t slot,
			     struct read_lane_data *ret)
{
	const struct segment_lane *lane = &ret->header;
	uint64_t left = lane->frame_capacity; /* stacks have no frame in common */
	int result = 0;

	for (uint32_t i = 0; i < ret->fiber_count && result == 0; i++) {
		struct segment_fiber *fiber = &ret->fibers[i];
		uint64_t end = (uint64_t)fiber->first_frame + fiber->depth;
		struct segment_array array = {lane->frame_offset, sizeof(*ret->frames),
					      fiber->first_frame, (uint32_t)end,
					      lane->frame_capacity};
		struct segment_frame *frames, *grown;
		uint32_t count = 0;

		if (!fiber->in_use || !fiber->depth || end > lane->frame_capacity ||
		    fiber->depth > left) {
			fiber->depth = 0;
			continue;
		}
		left -= fiber->depth;
		frames = segment_reader_array(reader, slot, &array, &count, &result);
		fiber->depth = count;
		grown = count ? reallocarray(ret->frames,
					     (size_t)ret->frame_count + count,
					     sizeof(*grown))
			      : NULL;
		if (grown) {
			memcpy(grown + ret->frame_count, frames, count * sizeof(*frames));
			ret->frames = grown;
			ret->frame_count += count;
		} else if (count) {
			result = -ENOMEM;
		}
		free(frames);
	}
	return result;
}

/* Frames first: a frame's node is published before the frame is open. */
static int read_lane_arrays(const struct segment_reader *reader, uint32_t slot,
			    uint64_t node_limit, struct read_lane_data *ret)
{
	const struct segment_lane *lane = &ret->header;
	struct segment_array frames = {lane->frame_offset, sizeof(*ret->frames), 0,
				       lane->depth, lane->frame_capacity};
	struct segment_array nodes = {lane->node_offset, sizeof(*ret->nodes), 0, 0,
				      lane->node_capacity};
	struct segment_array functions = {lane->function_offset, sizeof(*ret->functions),
					  0, 0, lane->function_capacity};
	struct segment_array fibers = {lane->fiber_offset, sizeof(*ret->fibers), 0,
				       lane->fiber_count, lane->fiber_capacity};
	struct segment_array series = {lane->series_offset, sizeof(*ret->series), 0, 0,
				       lane->series_capacity};
	struct segment_lane now;
	uint32_t node_count;
	int result = 0;

	if (fibers.capacity > SEGMENT_FIBER_LIMIT)
		fibers.capacity = SEGMENT_FIBER_LIMIT;
	ret->frames =
		segment_reader_array(reader, slot, &frames, &ret->frame_count, &result);
	ret->fibers =
		segment_reader_array(reader, slot, &fibers, &ret->fiber_count, &result);
	if (result == 0)
		result = read_fiber_frames(reader, slot, ret);
	if (segment_reader_bytes(reader, slot, 0, &now, sizeof(now)) < 0)
		return -EINVAL;
	node_count = now.node_count < nodes.capacity ? now.node_count : nodes.capacity;
	nodes.count = node_count < node_limit ? node_count : (uint32_t)node_limit;
	if (series.capacity > SEGMENT_SERIES_LIMIT)
		series.capacity = SEGMENT_SERIES_LIMIT;
	functions.count = now.function_count;
	series.count = now.series_count;
	ret->nodes =
		segment_reader_array(reader, slot, &nodes, &ret->node_count, &result);
	if (ret->node_count == node_limit)
		ret->cut_node_count = node_count - ret->node_count;
	ret->functions = segment_reader_array(reader, slot, &functions,
					      &ret->function_count, &result);
	ret->series =
		segment_reader_array(reader, slot, &series, &ret->series_count, &result);
	return result;
}

int read_lane(const struct read_run *run, const struct read_lane *lane,
	      struct read_lane_data *ret)
{
	struct segment_reader reader;
	int result;

	*ret = (struct read_lane_data){.frame_count = 0};
	result = segment_reader_open(&reader, run->directory_fd, run->files[lane->file],
				     run->page.token);
	if (result < 0)
		return -EINVAL;
	result = segment_reader_bytes(&reader, lane->slot, 0, &ret->header,
				      sizeof(ret->header));
	if (result == 0 && ret->header.magic != SEGMENT_MAGIC_LANE)
		result = -EINVAL;
	if (result == 0)
		result = read_lane_arrays(&reader, lane->slot,
					  read_node_limit(&run->page) + 2ull, ret);
	segment_reader_close(&reader);
	if (result < 0)
		read_lane_done(ret);
	return result;
}

void read_lane_done(struct read_lane_data *data)
{
	free(data->frames);
	free(data->fibers);
	free(data->nodes);
	free(data->functions);
	free(data->series);
	*data = (struct read_lane_data){.frame_count = 0};
}
