/* SPDX-License-Identifier: MIT */
/* Tells inlined copies from calls. */
#include "shim/record/paths/inlined.h"

#include "shim/patch/code.h"
#include "shim/patch/known.h"
#include "shim/patch/modes.h"
#include "shim/patch/sites.h"
#include "shim/stacks/fiber.h"

/* Frames further apart are those of calls: a copy's hook is where its host's was, less
 * what the host has taken from the stack since (alloca, arguments). */
#define MOST_BYTES (64u << 10)

/* A function's own hook is called within so much of its code. */
#define FIRST_BYTES 512u

/* Other functions' frames are none of the sanitizer's business here. */
static __attribute__((no_sanitize("address"))) int
was_pushed(uint64_t address, uintptr_t from, uintptr_t to)
{
	for (; from < to; from += sizeof(uint64_t)) {
		if (*(const uint64_t *)from == address)
			return 1;
	}
	return 0;
}

static int is_in_frame_below(const struct lane_context *context,
			     const struct segment_frame *frame)
{
	const struct segment_frame *host = frame - 1;
	uintptr_t stack = frame->stack_pointer;

	if (frame == context->frames)
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

cold int inlined_is_elsewhere(uint64_t function, uintptr_t return_address)
{
	struct extent extent;
	struct code code;

	if (!return_address || code_find(return_address, &code) < 0 ||
	    code_function(&code, return_address, &extent) < 0 || extent.low == function)
		return 0;
	/* one of the compiler's clones calls the hook of its own function first, too */
	for (uintptr_t at = extent.low + 1;
	     at < return_address && at - extent.low < FIRST_BYTES; at++) {
		if (known_has(at))
			return 1;
	}
	return 0;
}

cold int inlined_is_copy(const struct lane_context *context,
			 const struct segment_frame *frame, uintptr_t return_address)
{
	uint64_t low;

	if (segment_key_is_region(frame->function))
		return 0;
	if (return_address) {
		switch (sites_entry_of(frame->function, return_address, &low)) {
		case SITE_ENTRY_OWN:
			return 0;
		case SITE_ENTRY_COPY:
			return 1;
		default:
			break;
		}
	}
	return is_in_frame_below(context, frame) ||
	       (modes_count && inlined_is_elsewhere(frame->function, return_address));
}
