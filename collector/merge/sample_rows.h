/* SPDX-License-Identifier: MIT */
/* Adds samples to those of a run: of lanes, and of programs without hooks. */
#pragma once

#include "collector/merge/place.h"
#include "collector/processes/cpu_book.h"

/* Adds those of a lane, whose nodes have their paths. Damaged ones are counted. */
void sampled_add_lane(struct sampled *sampled, struct lane_walk *walk);

/* Adds them, without a path: when all lanes are merged. */
void sampled_add_outside(struct merge *merge, const struct cpu_book *book);
