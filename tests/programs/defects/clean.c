/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a program without a defect: even work, a few blocks, nothing that stands out.
 */
#include "background.h"

#include <stdlib.h>
#include <string.h>

#define NAMES 400

static char *copy_name(int number)
{
	char text[24] = "name";
	char *copy = malloc(sizeof(text));

	text[4] = (char)('a' + number % 26);
	if (copy)
		memcpy(copy, text, sizeof(text));
	return copy;
}

int main(void)
{
	char *names[NAMES];

	for (int i = 0; i < NAMES; i++)
		names[i] = copy_name(i);
	background(100, 70000);
	for (int i = 0; i < NAMES; i++)
		free(names[i]);
	return 0;
}
