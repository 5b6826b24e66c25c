/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: objects are made for a moment. Their maker has many callers and
 *                one block in a call, as a wrapper of malloc has, but blocks of one size.
 */
// expect: M3 temporary-allocations make_point
#include "background.h"

#include <stdlib.h>

struct point {
	uint64_t x, y, z;
};

static __attribute__((noinline)) struct point *make_point(uint64_t x)
{
	struct point *point = malloc(sizeof(*point));

	if (!point)
		abort();
	point->x = point->y = point->z = x;
	return point;
}

#define USER(name)                                                                       \
	static __attribute__((noinline)) void name(uint64_t count)                       \
	{                                                                                \
		for (uint64_t i = 0; i < count; i++) {                                   \
			struct point *point = make_point(i);                             \
                                                                                         \
			background_sink += point->y;                                     \
			free(point);                                                     \
		}                                                                        \
	}
USER(move_shape)
USER(turn_shape)
USER(scale_shape)
USER(draw_shape)
USER(clip_shape)

int main(void)
{
	background(2, 100000);
	for (uint64_t i = 0; i < 200; i++) {
		move_shape(2000);
		turn_shape(2000);
		scale_shape(2000);
		draw_shape(2000);
		clip_shape(2000);
	}
	return 0;
}
