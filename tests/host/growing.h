/* SPDX-License-Identifier: MIT */
/* A program's way to new call paths: each path number takes another one through left()
 * and right(), with 2 * levels + 1 calls. */
#pragma once

#include "../programs/truth.h"

static volatile unsigned sum;

ALONE static void grow(unsigned path, unsigned levels);

ALONE static void left(unsigned path, unsigned levels)
{
	grow(path, levels);
}

ALONE static void right(unsigned path, unsigned levels)
{
	grow(path, levels);
}

ALONE static void grow(unsigned path, unsigned levels)
{
	sum++;
	if (levels == 0)
		return;
	if (path & 1)
		left(path >> 1, levels - 1);
	else
		right(path >> 1, levels - 1);
}
