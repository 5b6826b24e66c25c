/* SPDX-License-Identifier: MIT */
/* What the files that draw lanes share. */
#pragma once

#include "analyzer/render/html/html.h"

/* Which slices of each lane there is room for: the longest. */
struct lane_choice {
	const struct lanes *lanes;
	size_t quota;  /* of a lane */
	uint32_t rows; /* what lies deeper is left out; UINT32_MAX: nothing is */
	size_t short_count, deep_count; /* so far left out, of those in sight */
};

/* So many of each lane that all together are not more than most. */
struct lane_choice lane_choice_of(const struct lanes *lanes, size_t most, uint32_t rows);
/* A flag for each slice of the lane; owned by caller. */
bool *lane_choice_make(struct lane_choice *choice, const struct lane *lane);

/* At least 0, also of damaged times. */
int64_t lane_slice_length(const struct lane_slice *slice);
const char *lane_slice_name(const struct lane_slice *slice);

/* lanes_data.c: all slices that there is room for, for the script. */
void html_put_lanes_data(struct html_page *page, const struct lanes *lanes);
