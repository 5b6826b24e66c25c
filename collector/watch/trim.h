/* SPDX-License-Identifier: MIT */
/*
 * Gives back the disk space that an ended process reserved and never used. Must not
 * touch what a living process writes, or anything that was recorded.
 *
 * A process reserves room for its arrays in steps, some 800 KiB for the shortest one. A
 * build or a configure script starts thousands of processes, and the spool keeps them all
 * until the run ends.
 */
#pragma once

#include <stdint.h>

/* Punches holes behind the used part of the arrays of the process that has had `slot` of
 * the file since start_ticks, and of its lanes in the slots that follow; not when another
 * process has the slot, or may have it (common/segment.h, SLOTS ARE USED AGAIN). Does
 * what can be done: a file system without holes loses nothing. */
void trim_process(int directory_fd, const char *file, uint32_t slot,
		  uint64_t start_ticks);
