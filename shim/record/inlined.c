/* SPDX-License-Identifier: MIT */
/* Tells inlined copies from calls. */
#include "shim/record/inlined.h"

#include "shim/stacks/fiber.h"

/* Frames further apart are those of calls: a copy's hook is where its host's was, less
 * what the host has taken from the stack since (alloca, arguments). */
#define MOST_BYTES (64u << 10)

static int was_pushed(uint64_t address, uintptr_t from, uintptr_t to)
{
	for (; from < to; from += sizeof(uint64_t)) {
		if (*(const uint64_t *)from == address)
			return 1;
	}
	return 0;
}

cold int inlined_is_copy(const struct lane_context *context,
			 const struct segment_frame *frame)
{
	const struct segment_frame *host = frame - 1;
	uintptr_t stack = frame->stack_pointer;

	if (frame == context->frames || segment_key_is_region(frame->function))
		return 0;
	/* whoever called an inherited frame is not known */
	if (!segment_frame_is_inherited(host) &&
	    segment_frame_caller(host) != segment_frame_caller(frame))
		return 0;
	/* what lies between two addresses of one stack can be read */
	if (!fiber_is_current(context, host->stack_pointer) || stack % sizeof(uint64_t) ||
	    (stack < host->stack_pointer && host->stack_pointer - stack > MOST_BYTES))
		return 0;
	return !was_pushed(segment_frame_caller(frame), stack, host->stack_pointer);
}
