/* SPDX-License-Identifier: MIT */
/*
 * What is known of the process's descriptors. Runs on: traced threads, any context. Must
 * not be asked for a child in its parent's memory (vfork), whose descriptors are others.
 *
 * A descriptor is forgotten when the program closes it, or has libc close it, and learned
 * anew when it is used again. Threads may work at one at the same time: what they store
 * is a guess about offsets, which may be off then, and its target, which is the same.
 */
#pragma once

#include <stdint.h>

#include "common/attributes.h"

struct descriptor {
	uint32_t target;   /* of the process, 0: not known */
	uint32_t channel;  /* 0: not one between threads, see targets.h */
	uint8_t is_moved;  /* its offset was changed since it was used last */
	uint8_t is_server; /* of a connection: it was accepted */
	uint8_t is_asked;  /* whether it has a channel: else it was opened by a path */
	uint8_t pad[5];
	uint64_t offset;  /* where read and write go on, as far as is known */
	uint64_t next_at; /* where the last transfer ended that named its offset */
	/* where the books may have it: the last ones of even and of odd nodes, of some
	 * thread (transfers.h) */
	uint32_t transfers[2];
};

/* NULL: no descriptor, one of a high number, or no memory. */
hidden struct descriptor *descriptors_at(int descriptor);

/* The same without making room: NULL, too, when nothing is known of it. */
hidden struct descriptor *descriptors_known(int descriptor);

/* These are closed, or will be. */
hidden void descriptors_forget(int descriptor);
hidden void descriptors_forget_range(uint32_t first, uint32_t last);
