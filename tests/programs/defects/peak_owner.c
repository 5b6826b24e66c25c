/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a defect: a whole file is held in memory though it is used line by line.
 */
// expect: M7 peak-owner load_file
#include "background.h"

#include <stdlib.h>
#include <string.h>

#define FILE_BYTES (64 << 20)

static __attribute__((noinline)) char *load_file(void)
{
	char *text = malloc(FILE_BYTES);

	if (!text)
		abort();
	memset(text, 1, FILE_BYTES / 16); /* all of it takes a busy machine long */
	return text;
}

static __attribute__((noinline)) void use_lines(const char *text)
{
	background_sink += (unsigned char)text[FILE_BYTES / 32];
	background(100, 50000);
}

int main(void)
{
	char *text = load_file();

	use_lines(text);
	free(text);
	return 0;
}
