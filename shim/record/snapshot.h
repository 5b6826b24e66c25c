/* SPDX-License-Identifier: MIT */
/*
 * Snapshots taken by the program's own threads, and what sites do for those that have
 * been taken. Must not call libc; be used on the fast paths.
 */
#pragma once

#include <stdint.h>

#include "common/segment_history.h"

/* Takes a snapshot of the process. Waits for one that another thread takes. When it
 * cannot be taken, that is counted. */
void snapshot_take(const char *label, enum segment_snapshot_cause cause);
