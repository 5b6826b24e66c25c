/* SPDX-License-Identifier: MIT */
/*
 * How a function is recorded: a part of the format between the shim and the ingest
 * library. Must not change without a new SEGMENT_VERSION.
 *
 * A process records some functions with less than a frame for each call: because the user
 * asks for it, or to keep the run's budget (segment_run.overhead_percent). Such a
 * function has an entry in the process's modes; the entry's index is the function's
 * number.
 *
 *     EXACT    the hooks see each call: frame, node, times. All functions without entry.
 *     COUNTED  the hooks' call sites lead to code that adds 1 to the lane's
 *              counts[number].
 *     OFF      nothing, by the user's wish.
 *
 * CALL EDGES. A function's own entry is followed by others, anywhere behind it, which
 * only count; the own entry says how the function is recorded. Each call is counted in
 * exactly one of them:
 *
 *     host 0, site S   calls of the function itself that return to S
 *     host H, site R with SEGMENT_KEY_RETURN_ADDRESS
 *                      calls of the copy that is inlined into the code which begins at H,
 *                      and whose call of the hook returns to R
 *     host H, site S   the first hook that this code calls is the function's: either it
 *                      is another copy of the function that the compiler made
 *                      (f.constprop.0), and is called where S says, or a copy inlined
 *                      into what has no hooks. Symbols tell.
 *
 * The own entry (0, 0) and (H, SEGMENT_SITE_ANY) count calls whose site has no entry, for
 * want of a number or of time to make one.
 *
 * So the calls of a function in a lane are exactly those in its nodes plus its counts. An
 * entry stays when its function is EXACT again. Counted calls have no frame. What they
 * call becomes a child of the innermost function with a frame, and levels tell its place
 * (common/segment_tree.h). Their time and the cost of counting are in that function's
 * time.
 */
#pragma once

#include <stdint.h>

#include "common/segment.h"

/* In order of missing detail. Databases store these numbers. */
enum segment_recording {
	SEGMENT_RECORDING_EXACT = 0,
	SEGMENT_RECORDING_COUNTED = 2,
	SEGMENT_RECORDING_OFF = 3,
};

/* Why a function is recorded as it is. */
enum segment_reason {
	SEGMENT_REASON_BUDGET = 0,
	SEGMENT_REASON_ASKED = 2, /* PROFSHIM_ONLY, PROFSHIM_SKIP and the like */
};

#define SEGMENT_SITE_ANY 1u /* no return address */

struct segment_mode {
	uint64_t key; /* like segment_node.key */
	uint64_t since_ticks;
	uint32_t recording; /* enum segment_recording, now */
	uint32_t least;	    /* the least detailed recording so far */
	uint32_t reason;    /* enum segment_reason, of the last change */
	uint32_t change_count;
	uint32_t site_count;	   /* call sites that lead to stubs */
	uint32_t early_site_count; /* sites that cannot be written */
	uint64_t reserved;
	uint64_t host; /* like key; see above */
	uint64_t site; /* likewise, of a return address */
};

/* The counted calls of one number. */
struct segment_count {
	uint64_t call_count;
};

_Static_assert(sizeof(struct segment_mode) == 64, "segment_mode layout");
