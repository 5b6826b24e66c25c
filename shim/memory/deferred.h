/* SPDX-License-Identifier: MIT */
/*
 * What a signal handler did to the books of an allocation site while the code it
 * interrupted was at them. Runs on: the lane's thread: deferred_add() in a handler,
 * deferred_book() at the end of the interrupted hook. Must not call libc or lock more
 * than a site.
 *
 * The interrupted hook may hold the lock of the very site, or be half way through its
 * numbers. So the handler's hook does everything but that (the block's word, the path,
 * the site itself) and leaves a note.
 */
#pragma once

#include "shim/lane/lane.h"
#include "shim/memory/shadow.h"

enum deferred_kind {
	DEFERRED_ALLOCATED,
	DEFERRED_REALLOCATED,
	DEFERRED_RELEASED,
	DEFERRED_RESTORED,
};

struct deferred {
	enum deferred_kind kind;
	int is_temporary; /* RELEASED */
	struct shadow_block block;
	uint64_t old_bytes, copied_bytes; /* REALLOCATED */
};

/* Leaves a note. 0, or -ENOSPC: LANE_DEFERRED notes are waiting. */
int deferred_add(struct lane_context *context, const struct deferred *note);

/* Room for notes in advance. */
void deferred_reserve(struct lane_context *context);

/* Books the notes. BUSY_BOOKS is not held. */
void deferred_book(struct lane_context *context);
