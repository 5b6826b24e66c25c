/* SPDX-License-Identifier: MIT */
/* What the program's descriptors lead to: a channel of each, from its opening to its
 * closing, and the list of what lies behind them. Runs on: traced threads, any context,
 * after a wrapped call. Must not open a descriptor, or change errno. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/attributes.h"
#include "common/libc/calls.h"
#include "common/segment.h"
#include "shim/lane/lane.h"

/*
 * What is known of the process's descriptors. Runs on: traced threads, any context. Must
 * not be asked for a child in its parent's memory (vfork), whose descriptors are others.
 *
 * A descriptor is forgotten when the program closes it, or has libc close it, and learned
 * anew when it is used again. Threads may work at one at the same time: what they store
 * is a guess about offsets, which may be off then, and its target, which is the same.
 */

struct descriptor {
	uint32_t target;   /* of the process, 0: not known */
	uint32_t channel;  /* 0: not one between threads, see targets_of_descriptor() */
	uint8_t is_moved;  /* its offset was changed since it was used last */
	uint8_t is_server; /* of a connection: it was accepted */
	uint8_t is_asked;  /* whether it has a channel: else it was opened by a path */
	uint8_t pad[5];
	uint64_t offset;  /* where read and write go on, as far as is known */
	uint64_t next_at; /* where the last transfer ended that named its offset */
	/* where the books may have it: the last ones of even and of odd nodes, of some
	 * thread (transfers_book()) */
	uint32_t transfers[2];
};

/* NULL: no descriptor, one of a high number, or no memory. */
hidden struct descriptor *descriptors_at(int descriptor);

/* The same without making room: NULL, too, when nothing is known of it. */
hidden struct descriptor *descriptors_known(int descriptor);

/* These are closed, or will be. */
hidden void descriptors_forget(int descriptor);
hidden void descriptors_forget_range(uint32_t first, uint32_t last);

/*
 * What descriptors lead to: the process's list of files, peers and pipes. Runs on: traced
 * threads, any context, with a lane of their own. May make system calls where the gate
 * is open, none that opens a descriptor. Does not change errno.
 */

/* The number of a target by what it is; it is added when it is new. name need not end
 * with NUL. 0: there is no room. */
hidden uint32_t targets_find(enum segment_target_kind kind, const char *name,
			     size_t length);

/* What this descriptor leads to. is_server: of a connection, that it was accepted. 0:
 * that cannot be told. ret_channel: which pipe or eventfd it is; or 0. */
hidden uint32_t targets_of_descriptor(int descriptor, int is_server,
				      uint32_t *ret_channel);

/* Which pipe a descriptor is that was opened by a path; 0: none. */
hidden uint32_t targets_channel(int descriptor);

/* What a pair of sockets has: the last bit tells its ends apart, for each receives what
 * the other one sends. */
#define TARGETS_CHANNEL_PAIR (1u << 30)

/*
 * The books of calls that moved data, or had to do with a file: by call path and target.
 * Runs on: the lane's thread, any context. Does not change errno.
 */

struct transfer {
	uint32_t target;
	uint32_t is_source; /* it is what the call copied */
	int is_sequential;
	int64_t bytes; /* negative: it failed */
	uint64_t ticks;
};

/* A call of this node. Node 0: it has none. memo: where calls like it were booked before,
 * perhaps, and by any thread; is told where this one was. */
hidden void transfers_book(struct lane_context *context, uint32_t node,
			   const struct transfer *transfer, uint32_t *memo);
