/* SPDX-License-Identifier: MIT */
/* What this is:  ten functions between a caller and malloc; compiled without hooks. */
#include "../programs/truth.h"
#include <stdlib.h>

void *chain_malloc(size_t size);

#define LINK(name, next)                                                                 \
	ALONE static void *name(size_t size)                                             \
	{                                                                                \
		void *block = next(size);                                                \
                                                                                         \
		keep(block);                                                             \
		return block;                                                            \
	}

LINK(frame_10, malloc)
LINK(frame_9, frame_10)
LINK(frame_8, frame_9)
LINK(frame_7, frame_8)
LINK(frame_6, frame_7)
LINK(frame_5, frame_6)
LINK(frame_4, frame_5)
LINK(frame_3, frame_4)
LINK(frame_2, frame_3)

ALONE void *chain_malloc(size_t size)
{
	void *block = frame_2(size);

	keep(block);
	return block;
}
