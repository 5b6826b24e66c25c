/* SPDX-License-Identifier: MIT */
/* Sharing out whole numbers. Must not lose or gain one. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Divides total by weights, which are not all 0, into whole numbers that add up to it:
 * those that lose most by rounding down get one more, the first of equals before others.
 */
void apportion(uint64_t total, const uint64_t *weights, size_t count, uint64_t *ret);
