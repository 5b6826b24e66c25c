/* SPDX-License-Identifier: MIT */
/* What triggers ask for at the end of a call. */
#include "shim/record/ends.h"

#include "shim/core/clock.h"
#include "shim/lane/functions.h"
#include "shim/record/pause.h"
#include "shim/record/snapshot.h"
#include "shim/waits/off_cpu.h"

struct study_call ends_call_of(const struct lane_context *context,
			       const struct segment_frame *frame, uint64_t now)
{
	return (struct study_call){
		.function = frame->function,
		.node = segment_frame_is_inherited(frame) ? 0 : frame->node,
		.begin_ticks = frame->start_ticks + context->clock_offset,
		.ticks = now > frame->start_ticks ? now - frame->start_ticks : 0,
		.open = frame};
}

/* What it takes to study a call is in none that is open. */
static void study(struct lane_context *context, const struct study_call *call)
{
	uint64_t since = clock_now();

	study_end(context, call);
	off_cpu_leave_out(context, since);
}

void cold ends_triggered(struct lane_context *context, const struct study_call *call)
{
	const char *label = trigger_exit_label(call->function);

	if (trigger_actions(call->function) & TRIGGER_STUDIES)
		study(context, call);
	if (label)
		snapshot_take(label, SEGMENT_SNAPSHOT_FUNCTION);
	pause_exit(context, call->function);
}
