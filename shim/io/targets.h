/* SPDX-License-Identifier: MIT */
/*
 * What descriptors lead to: the process's list of files, peers and pipes. Runs on: traced
 * threads, any context, with a lane of their own. May make system calls where the gate
 * is open, none that opens a descriptor. Does not change errno.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/attributes.h"
#include "common/libc/records.h"
#include "common/segment.h"

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
