/* SPDX-License-Identifier: MIT */
/*
 * Address ranges, each of an item known by number, to be found by address. Must not know
 * what the items are.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* [low, high) belongs to item. */
struct range {
	uint64_t low, high;
	uint32_t item;
};

/* All zero: empty. */
struct ranges {
	struct range *entries;
	size_t count;
};

void ranges_add(struct ranges *ranges, uint64_t low, uint64_t high, uint32_t item);

/* To be called after the last addition and before the first look-up. */
void ranges_sort(struct ranges *ranges);

/* The innermost range around address, or NULL. */
const struct range *ranges_find(const struct ranges *ranges, uint64_t address);
