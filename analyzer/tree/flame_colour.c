/* SPDX-License-Identifier: MIT */
/*
 * The colours of boxes and the verdicts of differences. Must not use red and green for
 * better and worse, which many cannot tell apart, or say anything by colour alone:
 * formats write the change beside the name.
 */
#include "analyzer/tree/flame.h"

#include <math.h>

double flame_tolerance(const struct flame *flame)
{
	return flame->metric == FLAME_TIME || flame->metric == FLAME_SELF
		       ? FLAME_TOLERANCE_TIME
		       : FLAME_TOLERANCE_COUNT;
}

enum flame_verdict flame_judge(const struct flame *flame, const struct flame_box *box)
{
	const struct flame_box *whole = &flame->boxes[FLAME_WHOLE];
	double before = (double)box->total_before, change = (double)box->total - before;
	double all = fmax((double)whole->total, (double)whole->total_before);
	double error = hypot((double)box->total_error, (double)box->total_error_before);

	if (!flame->is_difference)
		return FLAME_SAME;
	if (!(box->presence & FLAME_BEFORE))
		return FLAME_ADDED;
	if (box->is_unproven || fabs(change) <= flame_tolerance(flame) * before ||
	    fabs(change) <= FLAME_TOLERANCE_WHOLE * all || fabs(change) <= error)
		return FLAME_SAME;
	return change > 0 ? FLAME_MORE : FLAME_LESS;
}

struct colour {
	int red, green, blue;
};

static uint32_t mix(struct colour from, struct colour to, double part)
{
	int red = from.red + (int)lround((to.red - from.red) * part);
	int green = from.green + (int)lround((to.green - from.green) * part);
	int blue = from.blue + (int)lround((to.blue - from.blue) * part);

	return (uint32_t)red << 16 | (uint32_t)green << 8 | (uint32_t)blue;
}

uint32_t flame_colour_of(enum flame_verdict verdict, double strength)
{
	static const struct {
		struct colour weak, strong;
	} scales[] = {
		[FLAME_SAME] = {{0xdc, 0xdc, 0xdc}, {0xdc, 0xdc, 0xdc}},
		[FLAME_LESS] = {{0xcb, 0xe2, 0xf7}, {0x53, 0xa0, 0xe0}},
		[FLAME_MORE] = {{0xfd, 0xdf, 0xb8}, {0xf2, 0x8e, 0x1c}},
		[FLAME_ADDED] = {{0xb9, 0x8a, 0xe0}, {0xb9, 0x8a, 0xe0}},
	};

	return mix(scales[verdict].weak, scales[verdict].strong, strength);
}

/* Gives the same number in every process and on every machine. */
static uint32_t hash(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash ^ hash >> 15;
}

static uint32_t plain_colour(const struct flame *flame, const struct flame_box *box)
{
	/* no blue: that is for waits */
	static const struct colour groups[] = {{0xf9, 0xb0, 0x6c}, {0xf6, 0xdc, 0x7a},
					       {0xa8, 0xd9, 0x8f}, {0x8f, 0xd6, 0xb8},
					       {0xd9, 0xb4, 0x8f}, {0xd0, 0xb8, 0xec},
					       {0xd6, 0xd6, 0x8a}, {0xf4, 0xb8, 0xa8}};
	static const struct colour white = {0xff, 0xff, 0xff};
	const char *group = box->group ? box->group : box->name;

	if (flame->metric == QUANTITY_self_blocked_ns ||
	    (box->is_wait && !flame_is_memory(flame->metric)))
		return 0xa4c4ea;
	if (box->is_unwound)
		return 0xe0dacf;
	/* the functions of a group differ a little in shade */
	return mix(groups[hash(group) % (sizeof(groups) / sizeof(groups[0]))], white,
		   (double)(hash(box->name) % 256) / 640);
}

uint32_t flame_colour(const struct flame *flame, const struct flame_box *box)
{
	double before = (double)box->total_before, change;

	if (flame->is_difference) {
		change = before > 0 ? fabs((double)box->total - before) / before : 1;
		return flame_colour_of(flame_judge(flame, box), sqrt(fmin(change, 1)));
	}
	if (box->parent == FLAME_NONE)
		return flame_colour_of(FLAME_SAME, 0);
	return plain_colour(flame, box);
}
