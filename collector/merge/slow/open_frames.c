/* SPDX-License-Identifier: MIT */
/* Open frames, with the clocks of their stacks. */
#include "collector/merge/slow/open_frames.h"

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

void open_frames_each(const struct lane_walk *walk, const struct merge_end *end,
		      open_frames_visit *visit, void *context)
{
	const struct read_lane_data *data = &walk->data;
	uint64_t paused = paused_ticks(walk, end->end_ticks);
	struct open_frame open = stack_end(end->end_ticks, data->header.suspended_ticks,
					   data->header.left_ticks, paused);
	uint32_t next = data->frame_count, at = 0;

	for (uint32_t i = 0; i < data->fiber_count; i++)
		next -= data->fibers[i].depth;
	for (uint32_t i = 0;; i++) {
		for (; at < next; at++) {
			open.frame = &data->frames[at];
			visit(context, &open);
		}
		if (i == data->fiber_count)
			break;
		next += data->fibers[i].depth;
		open = stack_end(end->end_ticks, data->fibers[i].suspended_ticks,
				 data->fibers[i].left_ticks, paused);
	}
}
