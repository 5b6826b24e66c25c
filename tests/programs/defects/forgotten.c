/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: a parser copies each field, and forgets the copy when the line is
 *                a comment. It frees all others, and the program frees all else.
 */
// expect: M12 never-freed copy_field
#include "background.h"

#include <stdlib.h>
#include <string.h>

static void *volatile kept;

static __attribute__((noinline)) char *copy_field(int number)
{
	char *copy = malloc(200 + (size_t)number % 800);

	if (!copy)
		abort();
	memset(copy, 1, 200);
	return copy;
}

static __attribute__((noinline)) void parse_line(int number)
{
	char *name = copy_field(number), *value = copy_field(number + 1);

	kept = value;
	free(name);
	if (number % 10) /* else it is a comment */
		free(value);
}

static __attribute__((noinline)) void show(void)
{
	kept = malloc(5000);
	free(kept);
}

int main(void)
{
	for (int i = 0; i < 40000; i++) {
		parse_line(i);
		show();
		background(1, 400);
	}
	return 0;
}
