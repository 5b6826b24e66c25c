/* SPDX-License-Identifier: MIT */
/*
 * What this is:  growth of arrays that are appended to.
 * Runs on:       any thread; ingest and the collector.
 * Must not:      be mixed with arrays of another growth.
 * See also:      common/base/array.c
 */
#pragma once

#include <stddef.h>

/* Makes room for element `count` (zeroed) of an array that has grown by this function
 * only; NULL with count 0 is the empty array. Returns the array, maybe moved, or NULL:
 * no memory, the array is as before. */
void *array_room(void *array, size_t count, size_t element_size);
