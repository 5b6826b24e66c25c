/* SPDX-License-Identifier: MIT */
/*
 * Windows: short stretches of a thread's time in which functions that are counted are
 * recorded as exactly as all others. Runs on: traced threads, any context; reached from
 * the code in shim/patch/stubs/stubs.h. Must not lock or make a system call.
 *
 * When a thread's pulse comes, after some thousand counted calls, and the time for a
 * window has, its counts are taken away from the code: each call then continues in
 * windows_enter(), which opens a frame. A window begins only where the caller is the
 * innermost function with a frame, so that no caller in between is missing on the paths
 * in it. What is open when it ends is closed by its own exits: the exit's code looks
 * whether the innermost frame is the function's.
 *
 * Time between windows is random, around what they may cost (budget.h): nothing in the
 * program is in step with them.
 */
#pragma once

#include "shim/lane/lane.h"

/* In the place of the hooks; see stub_targets. */
void windows_enter(void *function, void *call_site);
void windows_pulse(void *function, void *call_site);
void windows_exit(void *function, void *call_site, uintptr_t frame_pointer);

/* Opens a frame for a call in a window. return_address: of the hook. */
void windows_open_frame(struct lane_context *context, void *function, void *call_site,
			uintptr_t stack, uintptr_t return_address);

/* Where an exit comes from: the hook's arguments, the caller's stack pointer, what the
 * hook returns to, and %rbp there; 0: not known. */
struct windows_place {
	uint64_t function, call_site;
	uintptr_t stack, return_address, frame_pointer;
};

/* Closes the innermost frame as an exit, when it is this call's. 0: it is not. */
int windows_close_frame(struct lane_context *context, const struct windows_place *place,
			uint64_t now);

/* The same, and ends the window when its time is over, or looks at the budget. */
void windows_leave(struct lane_context *context, const struct windows_place *place,
		   uint64_t now);

/* Ends the one that is open. */
void windows_end(struct lane_context *context, uint64_t now);

/* An exit in a pause: closes the innermost frame when it is this call's. */
void windows_leave_paused(uint64_t function, uint64_t call_site, uintptr_t stack);
