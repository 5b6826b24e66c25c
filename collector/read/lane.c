/* SPDX-License-Identifier: MIT */
/* A lane's arrays, read and checked. Must not trust a count or an offset in the file. */
#include "collector/read/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"
#include "collector/read/segment_file.h"

/* Appends the open frames of each fiber, whose depth becomes the number that is there. */
static void read_fiber_frames(const struct segment_reader *reader, uint32_t slot,
			      const struct segment_array *all, struct read_lane_data *ret)
{
	uint64_t left = all->capacity; /* stacks have no frame in common */

	for (uint32_t i = 0; i < ret->fiber_count; i++) {
		struct segment_fiber *fiber = &ret->fibers[i];
		uint64_t end = (uint64_t)fiber->first_frame + fiber->depth;
		struct segment_array array = *all;
		struct segment_frame *frames;
		uint32_t count = 0;

		if (!fiber->in_use || !fiber->depth || end > all->capacity ||
		    fiber->depth > left) {
			fiber->depth = 0;
			continue;
		}
		left -= fiber->depth;
		array.first = fiber->first_frame;
		array.count = (uint32_t)end;
		frames = segment_reader_array(reader, slot, ARRAY_FRAMES, &array, &count);
		fiber->depth = count;
		if (count) {
			ret->frames = xreallocarray(ret->frames,
						    (size_t)ret->frame_count + count,
						    sizeof(*frames));
			memcpy(ret->frames + ret->frame_count, frames,
			       count * sizeof(*frames));
			ret->frame_count += count;
		}
		free(frames);
	}
}

/* Frames first: a frame's node is published before the frame is open. */
static int read_lane_arrays(const struct segment_reader *reader, uint32_t slot,
			    uint32_t node_limit, struct read_lane_data *ret)
{
	struct segment_array frames, nodes;
	struct segment_lane now;

	arrays_read(&ret->header, ARRAY_FRAMES, reader->slot_size, &frames);
	ret->frames = segment_reader_array(reader, slot, ARRAY_FRAMES, &frames,
					   &ret->frame_count);
	ret->fibers = segment_reader_entries(reader, slot, ARRAY_FIBERS, &ret->header,
					     &ret->fiber_count);
	read_fiber_frames(reader, slot, &frames, ret);
	if (segment_reader_bytes(reader, slot, 0, &now, sizeof(now)) < 0)
		return -EINVAL;
	arrays_read(&now, ARRAY_NODES, reader->slot_size, &nodes);
	if (nodes.count > node_limit) {
		ret->cut_node_count = nodes.count - node_limit;
		nodes.count = node_limit;
	}
	ret->nodes =
		segment_reader_array(reader, slot, ARRAY_NODES, &nodes, &ret->node_count);
	ret->functions = segment_reader_entries(reader, slot, ARRAY_FUNCTIONS, &now,
						&ret->function_count);
	ret->series = segment_reader_entries(reader, slot, ARRAY_SERIES, &now,
					     &ret->series_count);
	ret->counts = segment_reader_entries(reader, slot, ARRAY_COUNTS, &now,
					     &ret->count_count);
	ret->waits =
		segment_reader_entries(reader, slot, ARRAY_WAITS, &now, &ret->wait_count);
	ret->locks =
		segment_reader_entries(reader, slot, ARRAY_LOCKS, &now, &ret->lock_count);
	ret->lock_times = segment_reader_entries(reader, slot, ARRAY_LOCK_TIMES, &now,
						 &ret->lock_time_count);
	ret->lock_waits = segment_reader_entries(reader, slot, ARRAY_LOCK_WAITS, &now,
						 &ret->lock_wait_count);
	ret->stalls = segment_reader_entries(reader, slot, ARRAY_STALLS, &now,
					     &ret->stall_count);
	ret->transfers = segment_reader_entries(reader, slot, ARRAY_TRANSFERS, &now,
						&ret->transfer_count);
	ret->spans =
		segment_reader_entries(reader, slot, ARRAY_SPANS, &now, &ret->span_count);
	ret->studies = segment_reader_entries(reader, slot, ARRAY_STUDIES, &now,
					      &ret->study_count);
	ret->cases =
		segment_reader_entries(reader, slot, ARRAY_CASES, &now, &ret->case_count);
	ret->samples = segment_reader_entries(reader, slot, ARRAY_SAMPLES, &now,
					      &ret->sample_count);
	return 0;
}

int read_lane(const struct read_run *run, const struct read_lane *lane,
	      struct read_lane_data *ret)
{
	struct segment_reader reader;
	int result;

	*ret = (struct read_lane_data){.frame_count = 0};
	result = read_open_file(run, lane->file, &reader);
	if (result < 0)
		return -EINVAL;
	result = segment_reader_bytes(&reader, lane->slot, 0, &ret->header,
				      sizeof(ret->header));
	if (result == 0 && ret->header.magic != SEGMENT_MAGIC_LANE)
		result = -EINVAL;
	if (result == 0)
		result = read_lane_arrays(&reader, lane->slot,
					  read_node_limit(&run->page) + 2, ret);
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
	free(data->counts);
	free(data->waits);
	free(data->locks);
	free(data->lock_times);
	free(data->lock_waits);
	free(data->stalls);
	free(data->transfers);
	free(data->spans);
	free(data->studies);
	free(data->cases);
	free(data->samples);
	*data = (struct read_lane_data){.frame_count = 0};
}
