/* SPDX-License-Identifier: MIT */
/* The objects that a process lists in its slot. Must not believe a count or a string. */
#pragma once

#include "collector/read/segment_file.h"
#include "collector/selection/answers.h"

/* How many it lists now; unchecked. */
uint32_t listed_count(const struct segment_reader *reader, uint32_t slot);

/* Shows those of the process that has the slot, which is this one. */
void listed_show(struct answers *answers, const struct segment_reader *reader,
		 uint32_t slot, int32_t pid);
