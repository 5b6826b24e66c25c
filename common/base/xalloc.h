/* SPDX-License-Identifier: MIT */
/*
 * malloc and friends that never fail: without memory they print an error and end the
 * program with status 1; arrays that grow, and strings that are freed together. Must not
 * be used in the shim.
 *
 * This ends the collector, too. The recording stays in the spool, and the next reader of
 * the run stores it, with more memory or on another machine.
 */
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Of a local: end(&local) is called when its scope is left, wherever that is. What stands
 * in a return is evaluated before. */
#define ended_by(end) __attribute__((__cleanup__(end)))
/* Of local pointers, which are set from the beginning: free(). */
#define auto_free ended_by(xalloc_free_at)

static inline void xalloc_free_at(void *pointer)
{
	void *block;

	memcpy(&block, pointer, sizeof(block));
	free(block);
}

/* Sets the function to call before the program ends for lack of memory; NULL: none. It
 * must not allocate. */
typedef void xalloc_end(void *context);
void xalloc_before_end(xalloc_end *end, void *context);

/* All results are owned by the caller (free). */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xreallocarray(void *block, size_t count, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t size);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Growing arrays, and comparisons for sorting. Must not be mixed with arrays of another
 * growth.
 */

/* Makes room for element `count` (zeroed) of an array that only this function has grown;
 * NULL with count 0 is the empty array. Returns the array, maybe moved. */
void *array_room(void *array, size_t count, size_t element_size);
/* The capacity of an array of count elements, for building another in its place. */
size_t array_capacity(size_t count);

/* Appends a zeroed element and is that element. */
#define ARRAY_ADD(array, count)                                                          \
	(*((array) = array_room((array), (count), sizeof(*(array))), &(array)[(count)++]))

/* Comparisons for qsort(): of two numbers, and of two structs by one or more members. */
#define ORDER(left, right) (((left) > (right)) - ((left) < (right)))
#define ORDER_BY(left, right, a) ORDER((left)->a, (right)->a)
#define ORDER_BY_2(left, right, a, b)                                                    \
	(ORDER_BY(left, right, a) ?: ORDER_BY(left, right, b))
#define ORDER_BY_3(left, right, a, b, c)                                                 \
	(ORDER_BY_2(left, right, a, b) ?: ORDER_BY(left, right, c))
#define ORDER_BY_4(left, right, a, b, c, d)                                              \
	(ORDER_BY_3(left, right, a, b, c) ?: ORDER_BY(left, right, d))

/* Binary search: the number of elements, at the start of a sorted array, for whose index
 * `i` is_before holds. */
#define COUNT_BEFORE(count, i, is_before)                                                \
	__extension__({                                                                  \
		size_t low_ = 0, high_ = (count);                                        \
                                                                                         \
		while (low_ < high_) {                                                   \
			size_t i = low_ + (high_ - low_) / 2;                            \
                                                                                         \
			if (is_before)                                                   \
				low_ = i + 1;                                            \
			else                                                             \
				high_ = i;                                               \
		}                                                                        \
		low_;                                                                    \
	})

/*
 * Many small strings freed together. Zeroed memory is an empty arena. Must not give
 * strings back one by one.
 */

struct arena_block;

struct arena {
	struct arena_block *blocks;
	size_t used; /* of the newest block */
};

/* A copy of text (size bytes and a NUL), borrowed until arena_free(). */
const char *arena_copy(struct arena *arena, const char *text, size_t size);
void arena_free(struct arena *arena);
