/* SPDX-License-Identifier: MIT */
/* Sums of counts that damaged numbers cannot make small. */
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
