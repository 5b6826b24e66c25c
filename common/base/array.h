/* SPDX-License-Identifier: MIT */
/*
 * Growing arrays, and comparisons for sorting. Must not be mixed with arrays of another
 * growth.
 */
#pragma once

#include <stddef.h>

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
