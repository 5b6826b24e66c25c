/* SPDX-License-Identifier: MIT */
/* Growth by doubling. */
#include "collector/follow/room.h"

#include <string.h>

#include "common/base/xalloc.h"

void *follow_room(void *array, uint32_t *room, uint32_t count, size_t element_size)
{
	uint32_t more = *room ? *room : 16;

	while (more < count)
		more = more > UINT32_MAX / 2 ? count : more * 2;
	if (count <= *room)
		return array;
	array = xreallocarray(array, more, element_size);
	memset((char *)array + *room * element_size, 0, (more - *room) * element_size);
	*room = more;
	return array;
}
