/* SPDX-License-Identifier: MIT */
/* Additions that stop at the highest value instead of wrapping around to a small one. */
#pragma once

#include <stdint.h>

static inline void merge_add(uint64_t *to, uint64_t value)
{
	if (__builtin_add_overflow(*to, value, to))
		*to = UINT64_MAX; /* only damaged numbers get here */
}

static inline void merge_raise(uint64_t *highest, uint64_t value)
{
	if (value > *highest)
		*highest = value;
}
