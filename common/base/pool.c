/* SPDX-License-Identifier: MIT */
/* Blocks in a list, each of which knows where it is linked, so that it can move. */
#include "common/base/pool.h"

#include <stdint.h>

struct pool_block {
	struct pool_block *next, **link;
	_Alignas(max_align_t) char data[];
};

static void *link_block(struct pool *pool, struct pool_block *block)
{
	block->next = pool->blocks;
	block->link = &pool->blocks;
	if (block->next)
		block->next->link = &block->next;
	pool->blocks = block;
	return block->data;
}

/* A size that no memory has fails where it is asked for. */
static size_t whole_size(size_t count, size_t element_size)
{
	size_t size;

	return __builtin_mul_overflow(count, element_size, &size) ||
			       __builtin_add_overflow(size, sizeof(struct pool_block),
						      &size)
		       ? SIZE_MAX
		       : size;
}

void *pool_array(struct pool *pool, size_t count, size_t element_size)
{
	return link_block(pool, xcalloc(1, whole_size(count, element_size)));
}

/* Takes the array's block out of its list. Returns it; NULL: there is none. */
static struct pool_block *unlink_block(void *array)
{
	struct pool_block *block;

	if (!array)
		return NULL;
	block = (void *)((char *)array - offsetof(struct pool_block, data));
	*block->link = block->next;
	if (block->next)
		block->next->link = block->link;
	return block;
}

void *pool_resize(struct pool *pool, void *array, size_t count, size_t element_size)
{
	return link_block(pool, xreallocarray(unlink_block(array), 1,
					      whole_size(count, element_size)));
}

void pool_free(void *array)
{
	free(unlink_block(array));
}

void *pool_room(struct pool *pool, void *array, size_t count, size_t element_size)
{
	if ((count & (count - 1)) == 0) /* full: 0, 1, 2, 4, ... elements */
		array = pool_resize(pool, array, count ? count * 2 : 1, element_size);
	memset((char *)array + count * element_size, 0, element_size);
	return array;
}

void pool_done(struct pool *pool)
{
	while (pool->blocks) {
		struct pool_block *block = pool->blocks;

		pool->blocks = block->next;
		free(block);
	}
}
