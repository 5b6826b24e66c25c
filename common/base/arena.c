/* SPDX-License-Identifier: MIT */
/* A bump allocator for strings. */
#include "common/base/arena.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536

struct arena_block {
	struct arena_block *next;
	size_t capacity;
	char data[];
};

const char *arena_copy(struct arena *arena, const char *text, size_t size)
{
	struct arena_block *block = arena->blocks;
	char *copy;

	if (!block || block->capacity - arena->used < size + 1) {
		size_t capacity = size + 1 > BLOCK_BYTES ? size + 1 : BLOCK_BYTES;

		block = xmalloc(sizeof(*block) + capacity);
		block->capacity = capacity;
		block->next = arena->blocks;
		arena->blocks = block;
		arena->used = 0;
	}
	copy = block->data + arena->used;
	memcpy(copy, text, size);
	copy[size] = '\0';
	arena->used += size + 1;
	return copy;
}

void arena_free(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
	arena->used = 0;
}
