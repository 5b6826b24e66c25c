/* SPDX-License-Identifier: MIT */
/* What each function's own code computed, by thread, for time_run_function(). */
#pragma once

#include <stdint.h>

struct rule_input;
struct time_lanes;

/* -ENOENT: too many functions and lanes to be held in memory. */
int time_lanes_function(struct rule_input *input, int64_t function_id, double *ret_ns);
void time_lanes_free(struct time_lanes *lanes);
