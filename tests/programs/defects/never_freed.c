/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: of two blocks for each request one is freed, and the other one is
 *                forgotten. All come from a wrapper of malloc.
 */
// expect: M12 never-freed answer
#include "background.h"

#include <stdlib.h>
#include <string.h>

static void *volatile kept;

static __attribute__((noinline)) void *xmalloc(size_t size)
{
	void *block = malloc(size);

	if (!block)
		abort();
	memset(block, 1, size);
	return block;
}

#define USER(name, size)                                                                 \
	static __attribute__((noinline)) void name(void)                                 \
	{                                                                                \
		kept = xmalloc(size);                                                    \
		free(kept);                                                              \
	}
USER(ask, 100)
USER(read_page, 4000)
USER(find_title, 70)

static __attribute__((noinline)) void answer(void)
{
	kept = xmalloc(3000);
}

int main(void)
{
	for (int i = 0; i < 8000; i++) {
		ask();
		read_page();
		find_title();
		answer();
		background(1, 2000);
	}
	return 0;
}
