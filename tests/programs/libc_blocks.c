/* SPDX-License-Identifier: MIT */
/* What libc allocates on behalf of the program goes through malloc once and is counted
 * once, below the function that asked. */
// flags: -Wno-unused-result
// expect-below: copies alloc_count => 4
// expect-below: copies alloc_bytes => 64
// expect-below: copies live_bytes => 0
// expect-below: arrays alloc_count => 2
// expect-below: arrays alloc_bytes => 3000
// expect-below: lines live_bytes => 0
// expect-below: lines alloc_count => 3
// expect-below: files live_bytes => 0
// expect-below: prints live_bytes => 0
// expect-sql: SELECT alloc_count - free_count, live_bytes_at_exit FROM runs => 0|0
#include "truth.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

/* 6 + 4 + 4 * 12 + 6 bytes */
ALONE static void copies(void)
{
	char *first = strdup("hello"), *second = strndup("hello", 3), *third = NULL;
	wchar_t *wide = wcsdup(L"hello there");

	third = strndup(first, opaque(100));
	keep(first);
	keep(second);
	keep(third);
	keep(wide);
	free(first);
	free(second);
	free(third);
	free(wide);
}

/* glibc's reallocarray calls realloc. */
ALONE static void arrays(void)
{
	void *array = reallocarray(NULL, opaque(10), opaque(100));

	keep(array);
	array = reallocarray(array, opaque(20), opaque(100));
	keep(array);
	free(array);
}

/* Lines of 100, 801 and 1,099 bytes: a buffer of 120, then one that fits, then one of twice
 * the size. */
ALONE static void lines(FILE *file)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, file) > 0)
		keep(line);
	free(line);
}

ALONE static void files(void)
{
	FILE *file = fopen("/dev/zero", "r");
	DIR *directory = opendir("/");
	char byte;

	fread(&byte, 1, 1, file);
	readdir(directory);
	fclose(file);
	closedir(directory);
	free(realpath("/", NULL));
}

ALONE static void prints(void)
{
	char *text = NULL, *stream = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&stream, &size);

	if (asprintf(&text, "%*d", 1000, 5) != 1000)
		_exit(3);
	fprintf(file, "%5000d", 5);
	fclose(file);
	free(text);
	free(stream);
}

int main(void)
{
	static char text[2000], buffer[1000];
	FILE *file;

	memset(text, 'a', sizeof(text));
	text[99] = '\n';
	text[900] = '\n';
	file = fmemopen(text, sizeof(text), "r");
	setvbuf(file, buffer, _IOFBF, sizeof(buffer));
	copies();
	arrays();
	lines(file);
	fclose(file);
	files();
	prints();
	return 0;
}
