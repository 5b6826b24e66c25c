/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a lane's arrays, read and checked.
 * Runs on:       one thread at a time; the processes of the run may be alive.
 * Must not:      trust a count or an offset in the file.
 * See also:      shim/collector/read.h, shim/collector/segment_file.h
 */
#include "shim/collector/read.h"

#include <errno.h>
#include <stdlib.h>

#include "shim/collector/segment_file.h"

/* Frames first: a frame's node is published before the frame is open. */
static int read_lane_arrays(const struct segment_reader *reader, uint32_t slot,
			    struct read_lane_data *ret)
{
	const struct segment_lane *lane = &ret->header;
	struct segment_array frames = {lane->frame_offset, sizeof(*ret->frames), 0,
				       lane->depth, lane->frame_capacity};
	struct segment_array nodes = {lane->node_offset, sizeof(*ret->nodes), 0, 0,
				      lane->node_capacity};
	struct segment_array functions = {lane->function_offset, sizeof(*ret->functions),
					  0, 0, lane->function_capacity};
	struct segment_lane now;
	int result = 0;

	ret->frames =
		segment_reader_array(reader, slot, &frames, &ret->frame_count, &result);
	if (segment_reader_bytes(reader, slot, 0, &now, sizeof(now)) < 0)
		return -EINVAL;
	nodes.count = now.node_count;
	functions.count = now.function_count;
	ret->nodes =
		segment_reader_array(reader, slot, &nodes, &ret->node_count, &result);
	ret->functions = segment_reader_array(reader, slot, &functions,
					      &ret->function_count, &result);
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
		result = read_lane_arrays(&reader, lane->slot, ret);
	segment_reader_close(&reader);
	if (result < 0)
		read_lane_done(ret);
	return result;
}

void read_lane_done(struct read_lane_data *data)
{
	free(data->frames);
	free(data->nodes);
	free(data->functions);
	*data = (struct read_lane_data){.frame_count = 0};
}
