/* SPDX-License-Identifier: MIT */
/* What this is:  a library without hooks for hybrid.c: it allocates, and calls back. */
#include "truth.h"
#include <stdlib.h>

void *plain_outer(size_t size);
void plain_each(int count, void (*callback)(int));

ALONE static void *plain_inner(size_t size)
{
	void *block = malloc(size);

	keep(block);
	return block;
}

ALONE void *plain_outer(size_t size)
{
	void *block = plain_inner(size);

	keep(block);
	return block;
}

ALONE static void plain_one(int i, void (*callback)(int))
{
	callback(i);
	keep(callback);
}

ALONE void plain_each(int count, void (*callback)(int))
{
	int i;

	for (i = 0; i < count; i++)
		plain_one(i, callback);
}
