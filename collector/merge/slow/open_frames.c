/* SPDX-License-Identifier: MIT */
/* Open frames, with the clocks of their stacks. */
#include "collector/merge/slow/open_frames.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"
#include "collector/merge/add.h"

/* Of pauses, what the clock of the lane's stack in use does not know yet. */
static uint64_t paused_ticks(const struct lane_walk *walk, uint64_t end_ticks)
{
	const struct read_process *process =
		&walk->merge->run->processes[walk->process_index];
	uint64_t known = walk->data.header.paused_ticks, ticks = 0;

	if (process->paused_ticks > known)
		ticks = process->paused_ticks - known;
	if (process->paused_since_ticks && process->paused_since_ticks < end_ticks)
		merge_add(&ticks, end_ticks - process->paused_since_ticks);
	return ticks;
}

/* The end on the clock of a stack that was suspended for so long, and left; one that is
 * in use was paused, too. */
static struct open_frame stack_end(uint64_t end_ticks, uint64_t suspended, uint64_t left,
				   uint64_t paused)
{
	if (left && left < end_ticks)
		end_ticks = left;
	else
		merge_add(&suspended, paused);
	return (struct open_frame){
		.end_ticks = suspended < end_ticks ? end_ticks - suspended : 0,
		.suspended_ticks = suspended < end_ticks ? suspended : end_ticks};
}

/* Is the frame of a call that was merged into this node (shim/lane/frames.h)? */
static int is_merged(const struct read_lane_data *data, const struct segment_frame *frame,
		     uint32_t node)
{
	return !frame->node && node < data->node_count &&
	       data->nodes[node].key == frame->function &&
	       data->nodes[node].parent != frame->parent_node;
}

/* A damaged spool's calls have no end of others between; steps are what it may take. */
static void move_beginnings(struct segment_frame *frames, uint32_t at, uint32_t node,
			    uint64_t ticks, uint64_t *steps)
{
	for (; at > 0 && frames[at].parent_node != node && *steps; at--, --*steps)
		merge_add(&frames[at - 1].start_ticks, ticks);
}

#define STEPS_FOR_FRAME 64u

/* What the ends of merged calls would have done to those between, innermost first: the
 * node that a call was merged into is the parent of the next. */
static void end_merged(const struct read_lane_data *data, struct segment_frame *frames,
		       uint32_t count, uint64_t end_ticks)
{
	uint64_t steps = (uint64_t)count * STEPS_FOR_FRAME;

	for (uint32_t i = count; i-- > 1;) {
		uint32_t node = frames[i].parent_node;
		const struct segment_frame *frame = &frames[i - 1];

		if (is_merged(data, frame, node) && frame->start_ticks < end_ticks)
			move_beginnings(frames, i - 1, node,
					end_ticks - frame->start_ticks, &steps);
	}
}

void open_frames_each(const struct lane_walk *walk, const struct merge_end *end,
		      open_frames_visit *visit, void *context)
{
	const struct read_lane_data *data = &walk->data;
	uint64_t paused = paused_ticks(walk, end->end_ticks);
	struct open_frame open = stack_end(end->end_ticks, data->header.suspended_ticks,
					   data->header.left_ticks, paused);
	uint32_t next = data->frame_count, at = 0;
	struct segment_frame *frames = xcalloc(data->frame_count + 1u, sizeof(*frames));

	if (data->frame_count)
		memcpy(frames, data->frames, data->frame_count * sizeof(*frames));
	for (uint32_t i = 0; i < data->fiber_count; i++)
		next -= data->fibers[i].depth;
	for (uint32_t i = 0;; i++) {
		end_merged(data, &frames[at], next - at, open.end_ticks);
		for (; at < next; at++) {
			open.frame = &frames[at];
			visit(context, &open);
		}
		if (i == data->fiber_count)
			break;
		next += data->fibers[i].depth;
		open = stack_end(end->end_ticks, data->fibers[i].suspended_ticks,
				 data->fibers[i].left_ticks, paused);
	}
	free(frames);
}
