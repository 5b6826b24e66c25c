/* SPDX-License-Identifier: MIT */
/*
 * Which lanes of a run have a row of their own, and which go on in that of a process that
 * had ended before theirs began. Must not let two threads that lived at one time share.
 *
 * Thousands of short processes of one program differ in nothing that their own share of
 * every call path could tell. So the processes that lived longest have lanes of their
 * own, as many as there is room for; those of the others follow each other in some, as
 * the forked children of a shell do in its slots (common/segment.h).
 */
#pragma once

#include <stdint.h>

#include "collector/merge/merge.h"

/* Processes of a program that have lanes of their own, however many shares there are. */
#define SHARED_LANES_OWN 4u

/* Finds merge->row_lanes and counts those that are shared. ends: parallel to the
 * processes. */
void shared_lanes_find(struct merge *merge, const struct merge_end *ends);
