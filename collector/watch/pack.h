/* SPDX-License-Identifier: MIT */
/*
 * Files of images that have ended, packed into the run's file of those
 * (collector/read/ended.h). Runs on: the collector's main thread. Must not touch a file
 * that anybody can still write.
 */
#pragma once

#include "collector/watch/table.h"

/* Files of images that have ended and stay as they are: the latest. */
#define PACK_LEFT_MOST 64u
/* Packed at a time, at least. */
#define PACK_BATCH 16u

/* Packs the files that have been over for longest, when there are too many; watch->kept
 * has their processes from then on. */
void pack_files(struct watch *watch);
