/* SPDX-License-Identifier: MIT */
/* What this is:  a program with an allocator of its own, hooks in it included. */
#include "../programs/truth.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char arena[1 << 22];
static size_t used;
static volatile unsigned sum;

void *malloc(size_t size)
{
	void *block = &arena[used];

	used += (size + 31) & ~(size_t)15;
	if (used > sizeof(arena))
		return NULL;
	memcpy(block, &size, sizeof(size));
	return (char *)block + 16;
}

void free(void *block)
{
	(void)block;
}

void *calloc(size_t count, size_t size)
{
	return malloc(count * size); /* the arena is never used twice */
}

void *realloc(void *block, size_t size)
{
	void *copy = malloc(size);
	size_t old;

	if (block && copy) {
		memcpy(&old, (char *)block - 16, sizeof(old));
		memcpy(copy, block, old < size ? old : size);
	}
	return copy;
}

ALONE static void step(void)
{
	sum++;
}

int main(void)
{
	char *text = NULL;
	int i;

	for (i = 0; i < 1000; i++) {
		text = realloc(text, (size_t)i + 1);
		text[i] = 'x';
		step();
	}
	text[i - 1] = 0;
	printf("%zu\n", strlen(text));
	free(text);
	return 0;
}
