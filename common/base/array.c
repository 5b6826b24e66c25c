/* SPDX-License-Identifier: MIT */
/*
 * Arrays whose capacity is the next power of two of their count. Must not keep any state.
 */
#include "common/base/array.h"

#include <string.h>

#include "common/base/xalloc.h"

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
