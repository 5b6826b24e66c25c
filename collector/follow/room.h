/* SPDX-License-Identifier: MIT */
/* Arrays that grow with what is followed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Room for so many elements of an array that has *room of them; new ones are zero.
 * Returns the array, maybe moved. */
void *follow_room(void *array, uint32_t *room, uint32_t count, size_t element_size);
