/* SPDX-License-Identifier: MIT */
/*
 * A spool that somebody has removed while the run went on. Runs on: the collector's main
 * thread, before it stores. Must not make a directory where run.db could not be written
 * either.
 */
#pragma once

#include "collector/watch/watch.h"

/* When the spool is gone: makes it again from the files that are still open here, and
 * locks it. A file that is not, counts as a lost process. Returns 1 when it did, 0 when
 * nothing was missing, or -errno. */
int removed_spool_restore(struct watch *watch);
