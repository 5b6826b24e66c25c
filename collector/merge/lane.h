/* SPDX-License-Identifier: MIT */
/* What one lane has, added to the merged tree. */
#pragma once

#include "collector/merge/sites.h"

/* Merges one lane. sites: those of the process that belong to the lane. A lane that
 * cannot be read is counted as damaged. */
void lane_merge(struct merge *merge, uint32_t lane, const struct merge_end *end,
		const struct site_place *sites, size_t site_count);
