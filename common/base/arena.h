/* SPDX-License-Identifier: MIT */
/*
 * Many small strings freed together. Zeroed memory is an empty arena. Must not give
 * strings back one by one.
 */
#pragma once

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;
	size_t used; /* of the newest block */
};

/* A copy of text (size bytes and a NUL), borrowed until arena_free(). */
const char *arena_copy(struct arena *arena, const char *text, size_t size);
void arena_free(struct arena *arena);
