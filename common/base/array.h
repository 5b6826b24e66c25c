/* SPDX-License-Identifier: MIT */
/*
 * Growth of arrays that are appended to. Must not be mixed with arrays of another
 * growth.
 */
#pragma once

#include <stddef.h>

/* Makes room for element `count` (zeroed) of an array that has grown by this function
 * only; NULL with count 0 is the empty array. Returns the array, maybe moved. */
void *array_room(void *array, size_t count, size_t element_size);
