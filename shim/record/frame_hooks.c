/* SPDX-License-Identifier: MIT */
/* The cold parts of entry and exit. */
#include "shim/record/frame_hooks.h"

#include "shim/lane/trigger.h"
#include "shim/patch/modes.h"
#include "shim/record/snapshot.h"

cold void frame_histogram_overflow(struct segment_function *function, uint32_t bucket)
{
	function->overflow_bucket = bucket;
	function->overflow_count++;
}

/* A call that came to the hook itself, of a function that is not recorded exactly: its
 * call site is not known yet, or cannot be written. 1: it is to have a frame. */
static int has_frame(struct lane_context *context, uint32_t number,
		     uintptr_t return_address)
{
	enum segment_recording recording = modes_recording(number);

	if (recording == SEGMENT_RECORDING_EXACT)
		return 1;
	if (return_address)
		modes_note_enter(number, return_address);
	if (recording == SEGMENT_RECORDING_WINDOWS && context->is_at_window)
		return 1;
	if (recording == SEGMENT_RECORDING_OFF)
		return 0;
	if (!context->all_counts)
		return 1;
	add64(&context->all_counts[number], 1);
	return 0;
}

cold uint32_t frame_find_child(struct lane_context *context, uint32_t parent,
			       uint64_t function, struct segment_frame *frame,
			       uintptr_t return_address)
{
	uint32_t number = modes_find(function), child;
	const char *label;

	if (number && !has_frame(context, number, return_address))
		return FRAME_NONE;
	child = tree_child_slow(context, parent, function);
	if (number && modes_has_early_sites(number)) /* comes here again */
		context->front[tree_hash(parent, function) >> 20] = 0;

	if (likely(!trigger_count) || !trigger_find(function))
		return child;
	frame->caller |= SEGMENT_FRAME_TRIGGERS;
	label = trigger_enter_label(function);
	if (label)
		snapshot_take(label, SEGMENT_SNAPSHOT_FUNCTION);
	return child;
}
