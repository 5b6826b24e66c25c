/* SPDX-License-Identifier: MIT */
/* Keeps each text once. Must not move one: callers hold pointers. */
#include "collector/symbols/strings.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/intern.h"
#include "common/base/xalloc.h"
#include "collector/symbols/symbol.h"

/* Limits of one string and of all together, as the files that they come from may be
 * hostile. The names of a browser's 100,000 functions take 20 MB. */
#define STRING_LIMIT 65536
#define STRINGS_LIMIT_BYTES ((size_t)256 << 20)

/* readable: the readable form of each text, NULL until asked for. */
struct strings {
	struct intern texts;
	const char **readable;
	size_t count; /* entries in readable */
	size_t total_bytes;
};

struct strings *strings_new(void)
{
	return xcalloc(1, sizeof(struct strings));
}

void strings_free(struct strings *strings)
{
	if (!strings)
		return;
	intern_free(&strings->texts);
	free(strings->readable);
	free(strings);
}

/* The text's number, or INTERN_NONE. */
static uint32_t keep(struct strings *strings, const char *text, size_t length)
{
	uint32_t number;
	bool is_new;

	if (length >= STRING_LIMIT)
		return INTERN_NONE;
	if (strings->total_bytes + length + 1 >= STRINGS_LIMIT_BYTES)
		return intern_find_bytes(&strings->texts, text, length);
	number = intern_bytes(&strings->texts, text, length, &is_new);
	if (is_new) {
		strings->total_bytes += length + 1;
		ARRAY_ADD(strings->readable, strings->count) = NULL;
	}
	return number;
}

const char *strings_keep(struct strings *strings, const char *text, size_t length)
{
	uint32_t number = keep(strings, text, length);

	return number == INTERN_NONE ? NULL : intern_name(&strings->texts, number);
}

const char *strings_readable(struct strings *strings, const char *kept_name)
{
	uint32_t number = keep(strings, kept_name, strlen(kept_name));
	const char *readable = NULL;
	char *text;

	if (number == INTERN_NONE || strings->readable[number])
		return number == INTERN_NONE ? NULL : strings->readable[number];
	text = demangle(kept_name);
	if (text)
		readable = strings_keep(strings, text, strlen(text));
	free(text);
	strings->readable[number] = readable ? readable : kept_name;
	return strings->readable[number];
}

/* Cleans the path in place. It begins with '/'. */
static size_t clean_path(char *path)
{
	const char *from = path;
	size_t used = 0, length;

	while (*from) {
		while (*from == '/')
			from++;
		length = strcspn(from, "/");
		if (length == 2 && from[0] == '.' && from[1] == '.') {
			while (used && path[--used] != '/')
				;
		} else if (length && !(length == 1 && from[0] == '.')) {
			path[used++] = '/';
			memmove(path + used, from, length);
			used += length;
		}
		from += length;
	}
	return used;
}

/* Appends the directory and a slash, unless it is unknown or what follows is absolute. */
static int append_directory(char *path, size_t size, const char *directory,
			    const char *next)
{
	if (!directory || !*directory || next[0] == '/')
		return 0;
	return snprintf(path, size, "%s/", directory);
}

const char *strings_path(struct strings *strings, const char *base, const char *directory,
			 const char *name)
{
	const char *next = directory && *directory ? directory : name;
	size_t used = 0, size;
	char *path;

	if (name[0] == '/')
		next = name;
	size = (base ? strnlen(base, STRING_LIMIT) : 0) +
	       (directory ? strnlen(directory, STRING_LIMIT) : 0) +
	       strnlen(name, STRING_LIMIT) + 3;
	if (size >= STRING_LIMIT)
		return NULL;
	path = xmalloc(size);
	used += (size_t)append_directory(path, size, base, next);
	used += (size_t)append_directory(path + used, size - used, directory, name);
	used += (size_t)snprintf(path + used, size - used, "%s", name);
	if (path[0] == '/')
		used = clean_path(path);
	next = strings_keep(strings, path, used);
	free(path);
	return next;
}
