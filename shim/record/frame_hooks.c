/* SPDX-License-Identifier: MIT */
/* The cold parts of entry and exit. */
#include "shim/record/frame_hooks.h"

#include "shim/lane/trigger.h"
#include "shim/record/snapshot.h"

cold void frame_histogram_overflow(struct segment_function *function, uint32_t bucket)
{
	function->overflow_bucket = bucket;
	function->overflow_count++;
}

cold uint32_t frame_find_child(struct lane_context *context, uint32_t parent,
			       uint64_t function, struct segment_frame *frame)
{
	uint32_t child = tree_child_slow(context, parent, function);
	const char *label;

	if (likely(!trigger_count) || !trigger_find(function))
		return child;
	frame->caller |= SEGMENT_FRAME_TRIGGERS;
	label = trigger_enter_label(function);
	if (label)
		snapshot_take(label, SEGMENT_SNAPSHOT_FUNCTION);
	return child;
}
