/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: each frame is rendered into a new buffer, which malloc takes from
 *                the kernel and gives back.
 */
// expect: M8 big-block-cycling render
#include "background.h"

#include <malloc.h>
#include <stdlib.h>

#define FRAME_BYTES (1 << 20)
#define PAGE_BYTES 4096

static __attribute__((noinline)) void render(int number)
{
	volatile char *frame = malloc(FRAME_BYTES);

	if (!frame)
		abort();
	for (int i = 0; i < FRAME_BYTES / PAGE_BYTES; i++)
		frame[i * PAGE_BYTES] = (char)number;
	free((void *)frame);
}

static __attribute__((noinline)) void show(int first)
{
	background(1, 150000);
	for (int i = 0; i < 15; i++)
		render(first + i);
}

int main(void)
{
	/* Set by hand, glibc does not learn from the first block that is freed. */
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
	for (int i = 0; i < 20; i++)
		show(i);
	return 0;
}
