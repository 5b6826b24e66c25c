/* SPDX-License-Identifier: MIT */
/*
 * A loop over inlined functions that do next to nothing: hooks take more than thirty times
 * what the loop does, so its time is not known. That it makes most of the run's calls is.
 */
// expect: T14 likely-hot all_are_ready
// settings: PROFSHIM_LEVEL=full
#include "background.h"

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

int main(void)
{
	background(5, 20000);
	for (int i = 0; i < ITEMS; i++)
		items[i].is_ready = 1;
	__asm__ volatile("" ::"r"(items)
			 : "memory"); /* the compiler knows nothing of them */
	for (int i = 0; i < 2000; i++)
		found += (unsigned)all_are_ready(items, items + ITEMS);
	return found == 2000 ? 0 : 1;
}
