/* SPDX-License-Identifier: MIT */
/* Regions that the program names itself: nodes of the call tree that are no functions. */
#pragma once

#include <stdint.h>

/* stack: the caller's stack pointer. Names may be NULL (empty); they are copied. */
void region_begin(const char *component, const char *name, uintptr_t stack);
void region_end(const char *component, const char *name, uintptr_t stack);

/* The node of what is allocated in a pause of the recording; 0: no room. */
struct lane_context;
uint32_t region_paused_node(struct lane_context *context);
