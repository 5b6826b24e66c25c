/* SPDX-License-Identifier: MIT */
/*
 * Slots of the segment file that several processes share, made by whoever needs one
 * first. Runs on: traced threads, any context; slow paths only, under the process lock.
 */
#pragma once

#include <stdint.h>

/* Reserves what a new slot begins with and fills it. 0, or -errno: nothing is written. */
typedef int shared_slot_begin(void *start, uint32_t slot);

/* The slot whose number stands in *number, mapped. When there is none (0), one is begun,
 * published as of this kind and entered; another process may be quicker, whose slot it is
 * then. NULL: no room. */
void *shared_slot_map(uint32_t *number, uint32_t kind, shared_slot_begin *begin);
