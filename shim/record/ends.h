/* SPDX-License-Identifier: MIT */
/*
 * Ends of calls of functions and regions with triggers (shim/lane/functions.h), whose
 * frames are marked with SEGMENT_FRAME_TRIGGERS. Runs on: the lane's thread, any context;
 * slow paths of the hooks.
 */
#pragma once

#include "shim/lane/lane.h"
#include "shim/study/study.h"

/* The call of this frame, the innermost, which ends now: by the clock of its stack. To be
 * asked before the frame is closed. */
struct study_call ends_call_of(const struct lane_context *context,
			       const struct segment_frame *frame, uint64_t now);

/* It has ended, and its frame is closed: what its triggers ask for is done. */
void ends_triggered(struct lane_context *context, const struct study_call *call);
