/* SPDX-License-Identifier: MIT */
/*
 * How a function is recorded, a part of the contract between the shim and the ingest
 * library. Must not change without a new SEGMENT_VERSION.
 *
 * As the user asks, or as the budget of the run allows (segment_run.overhead_percent), a
 * process records some of its functions with less than a frame for each call. Such a
 * function has an entry in the process's modes; its index is the function's number there.
 *
 *     EXACT    the hooks see each call: frame, node, times. All functions without entry.
 *     COUNTED  the hooks' call sites lead to code that adds 1 to the lane's
 *              counts[number].
 *     OFF      nothing, by the user's wish.
 *
 * CALL EDGES. Behind a function's own entry come others of it, with counts and nothing
 * else: how they are recorded is the own entry's. Each call is counted in one of them:
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
 * The own entry (0, 0) counts calls whose site has no entry, and so does (H,
 * SEGMENT_SITE_ANY): those for which there was no number left, or no time to make one.
 *
 * So a lane's calls of a function are those of its nodes and its counts, exactly. An
 * entry stays when its function is EXACT again. Calls that are only counted have no
 * frame: what they call is a child of the innermost function that has one, whose place is
 * told by levels (common/segment_tree.h); their time and the cost of counting is in that
 * one's.
 */
#pragma once

#include <stdint.h>

#include "common/segment.h"

/* By how much detail is missing; databases have these numbers. */
enum segment_recording {
	SEGMENT_RECORDING_EXACT = 0,
	SEGMENT_RECORDING_COUNTED = 2,
	SEGMENT_RECORDING_OFF = 3,
};

/* Why a function is recorded as it is. */
enum segment_reason {
	SEGMENT_REASON_BUDGET = 0,
	SEGMENT_REASON_ASKED = 2, /* PROFSHIM_ONLY, PROFSHIM_SKIP and their like */
};

/* See above. */
#define SEGMENT_SITE_ANY 1u /* no return address */

struct segment_mode {
	uint64_t key; /* like segment_node.key */
	uint64_t since_ticks;
	uint32_t recording; /* enum segment_recording, now */
	uint32_t least;	    /* the one with the least detail it has had */
	uint32_t reason;    /* enum segment_reason, of the last change */
	uint32_t change_count;
	uint32_t site_count;	   /* call sites that lead elsewhere */
	uint32_t early_site_count; /* that cannot be written */
	uint32_t code_bytes;	   /* of its main part; 0: not known */
	uint32_t reserved;
	uint64_t host; /* like key; see above */
	uint64_t site; /* likewise, of a return address */
};

/* Calls of a function that were only counted. */
struct segment_count {
	uint64_t call_count;
};

_Static_assert(sizeof(struct segment_mode) == 64, "segment_mode layout");
