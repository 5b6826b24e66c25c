/* SPDX-License-Identifier: MIT */
/* Slots for forked children: their own, or those of processes that have ended. Runs on:
 * traced threads, any context; slow paths only. */
#pragma once

#include "shim/core/process.h"

/* The recording goes on in a forked child. Runs on: traced threads, any context. */

/* Makes `process` usable again in a forked child: own slot, new or that of a process that
 * has ended, nothing of the parent's written. Called by whoever finds ready == 0; leaves
 * the shim off when it fails. */
void adopt_process(void);

/*
 * Slots that go from a process that ends to one that begins. Runs on: traced threads; a
 * forked child's first event, and the last moment of its life.
 */

/* Slots that were taken over, mapped; segment NULL: none. */
struct reuse_slots {
	struct segment_process *segment;
	struct segment_lane *lane;
	uint32_t slot, lane_slot;
};

/* Takes over the slots of a process that has ended, if there are any: its list is
 * complete and the header is nobody's. Signals are blocked; no process lock. */
void reuse_take(struct reuse_slots *ret);

/* The header has been written anew: the slots are the calling process's. */
void reuse_taken(struct segment_process *segment);

/* The calling process ends (EXITING), or calls exec (REPLACED), and records nothing from
 * here on: its slots may be had, when they can be. 0: it goes on recording. */
int reuse_offer(enum segment_process_state state);

/* The exec has failed: the process records again, in its own slots, or as one that was
 * forked just now when they are somebody else's already. */
void reuse_retract(void);
