/* SPDX-License-Identifier: MIT */
/*
 * A program with an allocator of its own, as bash has: malloc, calloc, realloc and free,
 * and none of the other functions of the family. A block that is not its own ends it.
 * libc's functions that give out memory ask the program's.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0x6f776e206d616c6cull

struct header {
	uint64_t magic;
	uint64_t size;
};

static _Alignas(16) char heap[1 << 20];
static size_t used;

#define UNTRACED __attribute__((no_instrument_function))

UNTRACED static struct header *header_of(void *block)
{
	struct header *header = (struct header *)block - 1;

	if ((char *)block < heap || (char *)block > heap + sizeof(heap) ||
	    header->magic != MAGIC)
		abort();
	return header;
}

UNTRACED void *malloc(size_t size)
{
	struct header *header = (struct header *)(heap + used);
	size_t room = sizeof(*header) + ((size + 15) & ~(size_t)15);

	if (size > sizeof(heap) || used + room > sizeof(heap))
		return NULL;
	used += room;
	*header = (struct header){MAGIC, size};
	return header + 1;
}

UNTRACED void *calloc(size_t count, size_t size)
{
	void *block = malloc(count * size); /* the heap is zeroed, and used once */

	return block;
}

UNTRACED void free(void *block)
{
	if (block)
		header_of(block)->magic = 0;
}

UNTRACED void *realloc(void *old, size_t size)
{
	void *block = malloc(size);

	if (old && block) {
		size_t keep = header_of(old)->size;

		memcpy(block, old, keep < size ? keep : size);
		free(old);
	}
	return block;
}

int main(void)
{
	char *line = NULL, *text = NULL, *array;
	size_t size = 0;
	volatile size_t many = 3;
	FILE *file = fopen("/proc/version", "r");

	array = reallocarray(NULL, 10, 100);
	array = reallocarray(array, 20, 100);
	free(array);
	array = realloc(malloc(5), 50);
	array = reallocarray(array, 1000, 10);
	free(array);
	if (!reallocarray(NULL, SIZE_MAX / 2, many))
		puts("too much");
	if (file && getline(&line, &size, file) > 0 && asprintf(&text, "%zu", size) > 0)
		puts(text);
	free(line);
	free(text);
	free(strdup("copy"));
	return file ? fclose(file) : 1;
}
