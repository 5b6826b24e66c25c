/* SPDX-License-Identifier: MIT */
/*
 * The file's list of slots that may be had (common/segment.h, SLOTS ARE USED AGAIN). Runs
 * on: traced threads, any context; several processes at once.
 */
#pragma once

#include <stdint.h>

/* Its owner has left the slot. */
void offered_push(uint32_t slot);

/* The topmost slot that may be had, or 0. */
uint32_t offered_pop(void);

/* The owner goes on with its slot. 0: somebody else has it already. */
int offered_take_back(uint32_t slot);
