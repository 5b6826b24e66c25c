/* SPDX-License-Identifier: MIT */
/*
 * The functions that processes recorded with less than a frame for each call. Must not
 * believe what a process says of them further than it can be true.
 */
#pragma once

#include "collector/merge/merge.h"

/* Fills in merge->modes and merge->first_mode. */
void modes_list(struct merge *merge);

/* The mode of a process's function by its number there; NULL: there is none. */
struct merge_mode *modes_find(const struct merge *merge, uint32_t process,
			      uint32_t number);
