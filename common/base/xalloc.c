/* SPDX-License-Identifier: MIT */
/* Allocation that cannot fail. */
#include "common/base/xalloc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static xalloc_end *before_end;
static void *before_end_context;

void xalloc_before_end(xalloc_end *end, void *context)
{
	before_end = end;
	before_end_context = context;
}

static void *check(void *block)
{
	if (block)
		return block;
	fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
	if (before_end)
		before_end(before_end_context);
	exit(1);
}

void *xmalloc(size_t size)
{
	return check(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return check(calloc(count ? count : 1, size ? size : 1));
}

void *xreallocarray(void *block, size_t count, size_t size)
{
	return check(reallocarray(block, count ? count : 1, size ? size : 1));
}

char *xstrdup(const char *text)
{
	return check(strdup(text));
}

char *xstrndup(const char *text, size_t size)
{
	return check(strndup(size ? text : "", size));
}

char *xasprintf(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return check(text);
}

/* Arrays whose capacity is the next power of two of their count: they keep no state. */

size_t array_capacity(size_t count)
{
	return count < 2 ? count : (size_t)2 << (63 - __builtin_clzll(count - 1));
}

void *array_room(void *array, size_t count, size_t element_size)
{
	if ((count & (count - 1)) == 0) /* full: 0, 1, 2, 4, ... elements */
		array = xreallocarray(array, count ? count * 2 : 1, element_size);
	memset((char *)array + count * element_size, 0, element_size);
	return array;
}

/* A bump allocator for strings. */

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
