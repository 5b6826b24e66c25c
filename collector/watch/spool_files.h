/* SPDX-License-Identifier: MIT */
/*
 * Packs the files of ended images (collector/read/ended.h), and makes a removed spool
 * again. Runs on: the collector's main thread.
 */
#pragma once

#include "collector/watch/table.h"

/* Packs the files that have been over for longest, when there are too many; watch->kept
 * has their processes from then on. */
void pack_files(struct watch *watch);

/* When the spool is gone: makes it again from the files that are still open here, and
 * locks it. A file that is not, counts as a lost process. Returns 1 when it did, 0 when
 * nothing was missing, or -errno. */
int removed_spool_restore(struct watch *watch);
