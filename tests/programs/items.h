/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a loop whose every step is inlined and does next to nothing, so that hooks
 *                take more than thirty times what it does itself.
 */
#pragma once

#define INLINE static inline __attribute__((always_inline))
#define ITEMS 10000

struct item {
	int is_ready;
};

static struct item items[ITEMS];
static unsigned found;

INLINE int is_ready(const struct item *item)
{
	return item->is_ready;
}

INLINE const struct item *next(const struct item *item)
{
	return item + 1;
}

static __attribute__((noinline)) int all_are_ready(const struct item *first,
						   const struct item *end)
{
	for (const struct item *item = first; item != end; item = next(item)) {
		if (!is_ready(item))
			return 0;
	}
	return 1;
}
