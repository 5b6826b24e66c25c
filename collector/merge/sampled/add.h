/* SPDX-License-Identifier: MIT */
/* The samples of a lane that is being merged. */
#pragma once

#include "collector/merge/place.h"

/* Adds those of a lane, whose nodes have their paths. Damaged ones are counted. */
void sampled_add_lane(struct sampled *sampled, struct lane_walk *walk);
