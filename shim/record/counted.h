/* SPDX-License-Identifier: MIT */
/*
 * Calls of functions that are counted, or were: what the code in shim/patch/stubs.h
 * continues in. Runs on: traced threads, any context. Must not lock or make a system
 * call.
 *
 * A call without a frame has no end. But frames may be open when a function begins to be
 * counted, and calls without one when it is recorded exactly again: so its exits look
 * whether the innermost frame is their call's.
 */
#pragma once

#include "shim/lane/lane.h"

/* In the place of the hooks; see stub_targets. */
void counted_enter(void *function, void *call_site);
void counted_pulse(void *function, void *call_site);
void counted_edge(void *function, void *call_site, uint32_t place);
void counted_exit(void *function, void *call_site, uintptr_t frame_pointer);

/* Where an exit comes from: the hook's arguments, the caller's stack pointer, what the
 * hook returns to, and %rbp there; 0: not known. */
struct counted_place {
	uint64_t function, call_site;
	uintptr_t stack, return_address, frame_pointer;
};

/* Closes the innermost frame as an exit, when it is this call's. 0: it is not. */
int counted_close_frame(struct lane_context *context, const struct counted_place *place,
			uint64_t now);

/* The same, and looks at the budget when it is time. */
void counted_leave(struct lane_context *context, const struct counted_place *place,
		   uint64_t now);

/* An exit in a pause: closes the innermost frame when it is this call's. */
void counted_leave_paused(uint64_t function, uint64_t call_site, uintptr_t stack);
