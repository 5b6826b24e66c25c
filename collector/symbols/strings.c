/* SPDX-License-Identifier: MIT */
/*
 * An arena of strings with a hash table over it. Must not move a string: callers hold
 * pointers.
 */
#include "collector/symbols/strings.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/xalloc.h"
#include "collector/symbols/demangle.h"

/* Of one string, and of all together: the files that they come from may be hostile. The
 * names of a browser's 100,000 functions take 20 MB. */
#define STRING_LIMIT 65536
#define STRINGS_LIMIT_BYTES ((size_t)256 << 20)

/* readable: of this name, NULL until asked for. */
struct kept {
	const char *text;
	const char *readable;
	uint32_t hash;
	uint32_t length;
};

/* The table is open-addressed; its size is a power of two, and half of it stays free. */
struct strings {
	struct arena texts;
	struct kept *table;
	size_t table_size, count;
	size_t total_bytes;
};

static uint32_t hash_text(const char *text, size_t length)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	size_t i;

	for (i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash;
}

struct strings *strings_new(void)
{
	struct strings *strings = xcalloc(1, sizeof(*strings));

	strings->table_size = 1024;
	strings->table = xcalloc(strings->table_size, sizeof(*strings->table));
	return strings;
}

void strings_free(struct strings *strings)
{
	if (!strings)
		return;
	arena_free(&strings->texts);
	free(strings->table);
	free(strings);
}

/* The entry of this text, or the free place where it belongs. */
static struct kept *find(const struct strings *strings, const char *text, size_t length,
			 uint32_t hash)
{
	size_t mask = strings->table_size - 1, i = hash & mask;
	struct kept *kept;

	for (;; i = (i + 1) & mask) {
		kept = &strings->table[i];
		if (!kept->text)
			return kept;
		if (kept->hash == hash && kept->length == length &&
		    memcmp(kept->text, text, length) == 0)
			return kept;
	}
}

static void grow(struct strings *strings)
{
	struct kept *old = strings->table;
	size_t old_size = strings->table_size, i;

	strings->table_size = old_size * 2;
	strings->table = xcalloc(strings->table_size, sizeof(*old));
	for (i = 0; i < old_size; i++)
		if (old[i].text)
			*find(strings, old[i].text, old[i].length, old[i].hash) = old[i];
	free(old);
}

static struct kept *keep(struct strings *strings, const char *text, size_t length)
{
	uint32_t hash = hash_text(text, length);
	struct kept *kept;

	if (length >= STRING_LIMIT)
		return NULL;
	kept = find(strings, text, length, hash);
	if (kept->text)
		return kept;
	if (strings->total_bytes + length + 1 >= STRINGS_LIMIT_BYTES)
		return NULL;
	if (strings->count * 2 >= strings->table_size) {
		grow(strings);
		kept = find(strings, text, length, hash);
	}
	strings->total_bytes += length + 1;
	*kept = (struct kept){arena_copy(&strings->texts, text, length), NULL, hash,
			      (uint32_t)length};
	strings->count++;
	return kept;
}

const char *strings_keep(struct strings *strings, const char *text, size_t length)
{
	struct kept *kept = keep(strings, text, length);

	return kept ? kept->text : NULL;
}

const char *strings_readable(struct strings *strings, const char *kept_name)
{
	struct kept *kept = keep(strings, kept_name, strlen(kept_name));
	const char *readable;
	char *text;

	if (!kept || kept->readable)
		return kept ? kept->readable : NULL;
	text = demangle(kept_name);
	readable = text ? strings_keep(strings, text, strlen(text)) : NULL;
	if (!readable)
		readable = kept_name;
	free(text);
	/* the table may have grown meanwhile: look the entry up again */
	kept = keep(strings, kept_name, strlen(kept_name));
	if (kept)
		kept->readable = readable;
	return readable;
}

/* Writes the cleaned path over itself; from[0] is '/'. */
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

/* Directory and slash, or nothing when it is unknown or what follows is absolute. */
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
