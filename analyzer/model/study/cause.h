/* SPDX-License-Identifier: MIT */
/* Why one call took longer than the usual ones. */
#pragma once

#include "analyzer/model/study/study.h"

/* Fills in the cause of a slow call; the usual numbers of all paths are known.
 *
 * From the function inwards it goes to the path that has more than half of what this one
 * took longer, at and below it, until there is none. What happened there is named by what
 * it is for certain: waiting in calls that wait, if that is half of it; a path that no
 * usual call takes; calls, when as many of the usual length explain half; allocations,
 * when they are ten times as many or bytes; then that it had no CPU, or that it computed.
 */
void cause_find(const struct study *study, struct study_call *call);
