/* SPDX-License-Identifier: MIT */
/*
 * A loop over inlined functions that do next to nothing: hooks take more than thirty times
 * what the loop does, so its time is not known. That it makes most of the run's calls is.
 */
// expect: T14 likely-hot all_are_ready
// settings: PROFSHIM_LEVEL=full
#include "background.h"
#include "items.h"

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
