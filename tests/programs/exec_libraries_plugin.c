/* SPDX-License-Identifier: MIT */
/* See exec_libraries.c. */
#include "truth.h"

ALONE static int leaf(int value)
{
	return value + opaque(1);
}

int library_leaves(int count);
int library_leaves(int count)
{
	int value = 0;

	for (int i = 0; i < count; i++)
		value = leaf(value);
	return value;
}
