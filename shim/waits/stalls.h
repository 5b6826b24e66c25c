/* SPDX-License-Identifier: MIT */
/*
 * Each wait for another thread, and each long sleep, with its time: what happened in the
 * run one after the other because somebody had to be waited for (segment_stall). Runs on:
 * the lane's thread, any context, behind a wait. Must not lock or call libc.
 *
 * There is room for so many of a lane. When it is full, all lanes from then on keep only
 * those that touch one of every two windows of time, then of four, and so on; a lane
 * drops of its older ones what it would not have kept, so that its list is as if it had
 * been thinned from the start. All lanes have the same windows: what is kept fits
 * together.
 */
#pragma once

#include "common/libc/calls.h"
#include "common/libc/records.h"
#include "shim/lane/lane.h"

/* A call of libc of this node has ended just now, and was that long. It is kept when it
 * slept for SEGMENT_NAP_NS, and remembered until the next one. */
void stalls_add_nap(struct lane_context *context, uint32_t node, enum libc_call call,
		    uint64_t ticks, uint64_t blocked_ns);

/* The thread has got what was sent by this key (senders.h): when that was while it
 * napped, it was what it waited for, however short. */
void stalls_settle_nap(struct lane_context *context, uintptr_t key);

/* A wait of the lane is over. */
void stalls_add(struct lane_context *context, const struct segment_stall *stall);
