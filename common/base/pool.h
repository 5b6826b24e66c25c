/* SPDX-License-Identifier: MIT */
/*
 * Memory that is freed together, for results that live as long as one another. Zeroed
 * memory is an empty pool; it must not move while it has blocks. Runs on: one thread at a
 * time.
 */
#pragma once

#include <stddef.h>

#include "common/base/xalloc.h"

struct pool_block;

struct pool {
	struct pool_block *blocks;
};

/* An array of zeroed elements. */
void *pool_array(struct pool *pool, size_t count, size_t element_size);
/* Makes room for this many elements, which are not zeroed. array: NULL or one of the
 * pool's. Returns the array, maybe moved. */
void *pool_resize(struct pool *pool, void *array, size_t count, size_t element_size);
/* array_room() for an array that only this function has grown. */
void *pool_room(struct pool *pool, void *array, size_t count, size_t element_size);
/* Frees one array early; NULL: none. */
void pool_free(void *array);
void pool_done(struct pool *pool);

/* ARRAY_ADD() for such an array. */
#define POOL_ADD(pool, array, count)                                                     \
	(*((array) = pool_room((pool), (array), (count), sizeof(*(array))),              \
	   &(array)[(count)++]))
