/* SPDX-License-Identifier: MIT */
/*
 * Who made the calls that a mode counts (common/segment_recording.h, CALL EDGES). Of a
 * call site the function is known whose code it is in, and with debug information the
 * innermost one inlined there that has hooks: that is the caller which a frame would
 * have. Must not be asked before all lanes are merged: then it is known who has hooks.
 */
#pragma once

#include <stdint.h>

#include "collector/merge/merge.h"

/* inner: whose call it is; outer: in whose code, of what is inlined the host. Both
 * MERGE_NO_FUNCTION: not known, or it has no hooks, as the C library when it calls back.
 * is_copy: these are no calls, but copies inlined into outer. is_part: the compiler has
 * split that code from outer, whose rest may be inlined anywhere. */
struct caller {
	uint32_t inner, outer;
	int is_copy, is_part;
};

struct callers;

struct callers *callers_new(const struct merge *merge);
void callers_free(struct callers *callers);

/* Of a mode, by its index in merge->modes. */
struct caller callers_of(const struct callers *callers, uint32_t mode);

/* Are the function's calls by this caller copies, as far as any were counted? */
int callers_have_copies(const struct callers *callers, uint32_t function, uint32_t inner,
			uint32_t outer);

/* Is it a caller in some mode? */
int callers_has(const struct callers *callers, uint32_t function);
