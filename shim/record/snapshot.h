/* SPDX-License-Identifier: MIT */
/*
 * Snapshots taken by the program's own threads, and what sites do for those that have
 * been taken. Must not call libc; be used on the fast paths.
 */
#pragma once

#include <stdint.h>

#include "common/segment_book.h"
#include "shim/memory/shadow.h"

/* Takes a snapshot of the process. Waits for one that another thread takes. When it
 * cannot be taken, that is counted. */
void snapshot_take(const char *label, enum segment_snapshot_cause cause);

/* A site is about to change for the first time since a snapshot: keeps what it has.
 * The caller has the site to itself. interval: the number of snapshots now. */
void snapshot_keep_site(struct segment_site *site, uint32_t index, uint32_t interval);

/* A block that is older than the last snapshot has been freed. add: 1, or -1 when that
 * turned out not to be so. The caller has the site to itself. */
void snapshot_add_free(const struct shadow_block *block, uint32_t interval, int add);
