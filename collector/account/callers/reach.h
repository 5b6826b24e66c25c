/* SPDX-License-Identifier: MIT */
/*
 * Whose code can have made calls that left no frame, by the calls that the compiler put
 * there (collector/symbols/calls). Must not say no where that is not certain: a function
 * whose address somebody has may be called by everybody.
 *
 * A call without a frame is below the innermost function with one, its holder. So it is
 * there when a chain of direct calls leads from the holder to it, through functions whose
 * calls need not have frames.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/merge/merge.h"

struct reach;

/* When all lanes have been looked at: functions are known then. */
struct reach *reach_new(struct merge *merge);
void reach_free(struct reach *reach);

/* Can calls of the function without frames have been made while the holder was the
 * innermost with one? True, too, where that is not known. Both by merge's numbers. */
bool reach_may(struct reach *reach, uint32_t holder, uint32_t function);

/* The functions between, through which each such chain goes, outermost first. Returns
 * how many of them were put into ret: at most capacity, none when there are more. */
size_t reach_between(struct reach *reach, uint32_t holder, uint32_t function,
		     uint32_t *ret, size_t capacity);
