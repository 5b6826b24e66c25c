/* SPDX-License-Identifier: MIT */
/* Keeps each text once. Must not move one: callers hold pointers. */
#include "collector/symbols/strings.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/symbols/symbol.h"
#include "common/base/map.h"
#include "common/base/xalloc.h"

/*
 * The bridge to libiberty's demanglers. Must not trust the name: it comes from a file
 * that may be damaged.
 */

#define LONGEST 8192

/* libiberty refuses C++ names of more than 1024 bytes unless its limits are lifted. Then
 * its stack use grows with the name (about 64 bytes a character before the recursion), so
 * we set a limit of our own. Real template names stay far below it. */
#define SAFE_LENGTH 1024

/* A name may refer to its own parts, recursively: 100 bytes can stand for 2^30. */
#define LONGEST_READABLE 32768

/* The output so far. enough: where to continue when it is too long; libiberty holds no
 * memory while it writes. */
struct output {
	char *text;
	size_t used;
	jmp_buf enough;
};

static void append(const char *text, size_t size, void *context)
{
	struct output *output = context;

	if (size > LONGEST_READABLE - output->used)
		longjmp(output->enough, 1);
	memcpy(output->text + output->used, text, size);
	output->used += size;
}

/* Rust's legacy scheme is C++'s with a hash at the end: ...17h0123456789abcdefE */
static bool maybe_rust(const char *name)
{
	return strncmp(name, "_R", 2) == 0 || strstr(name, "17h") != NULL;
}

/* Returns false for a name that is not mangled or whose text nobody could read. */
static bool write_readable(const char *name, int options, struct output *output)
{
	if (setjmp(output->enough))
		return false;
	if (maybe_rust(name) && rust_demangle_callback(name, options, append, output))
		return true;
	output->used = 0;
	return name[1] == 'Z' &&
	       cplus_demangle_v3_callback(name, options, append, output);
}

/* gfortran: __MODULE_MOD_PROCEDURE; the language has no capitals of its own. */
static char *demangle_fortran(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	size_t module;
	const char *mark;
	char *text;

	if (strncmp(name, "__", 2) != 0 || strnlen(name, SAFE_LENGTH) == SAFE_LENGTH)
		return NULL;
	module = strspn(name + 2, letters);
	mark = name + 2 + module - 1; /* at the "_" of "_MOD_" */
	if (module < 2 || strncmp(mark, "_MOD_", 5) != 0 || !mark[5] ||
	    !strchr(".@", mark[5 + strspn(mark + 5, letters)]))
		return NULL;
	if (asprintf(&text, "%.*s::%s", (int)module - 1, name + 2, mark + 5) < 0)
		return NULL;
	return text;
}

/* libiberty needs xrealloc(); its own comes with an xmalloc() that clashes with ours. */
void *xrealloc(void *block, size_t size);
void *xrealloc(void *block, size_t size)
{
	return xreallocarray(block, size, 1);
}

/* "_D3app4main6decodeFAyaZv" is app.main.decode: the names alone, without types and
 * template arguments. */
static char *demangle_d(const char *name)
{
	char *text, *to, *from;
	size_t depth = 0;

	if (name[2] < '1' || name[2] > '9' || strnlen(name, SAFE_LENGTH) == SAFE_LENGTH)
		return NULL;
	text = dlang_demangle(name, 0);
	for (to = from = text; from && *from; from++) {
		if (*from == '(' && !depth && (from == text || from[-1] != '!'))
			break;
		if (*from == '(')
			depth++;
		else if (*from == ')' && depth)
			depth--;
		else if (!depth && !(from[0] == '!' && from[1] == '('))
			*to++ = *from;
	}
	if (text)
		*to = '\0';
	return text;
}

/* A cheap check first, as the demangler takes time. */
static bool may_be_variant(const char *name)
{
	for (const char *at = strpbrk(name, "CD"); at; at = strpbrk(at + 1, "CD")) {
		const char *number = at[0] == 'C' && at[1] == 'I' ? at + 2 : at + 1;

		if (*number >= '0' && *number <= '4')
			return true;
	}
	return false;
}

enum demangle_variant demangle_variant(const char *name)
{
	if (strncmp(name, "_Z", 2) != 0 || strnlen(name, SAFE_LENGTH) == SAFE_LENGTH ||
	    !may_be_variant(name))
		return DEMANGLE_ONLY;
	switch (is_gnu_v3_mangled_ctor(name)) {
	case gnu_v3_complete_object_allocating_ctor:
		return DEMANGLE_MEMORY;
	case gnu_v3_complete_object_ctor:
		return DEMANGLE_WHOLE;
	case gnu_v3_base_object_ctor:
		return DEMANGLE_BASE;
	case gnu_v3_unified_ctor:
		return DEMANGLE_UNIFIED;
	default:
		break;
	}
	switch (is_gnu_v3_mangled_dtor(name)) {
	case gnu_v3_deleting_dtor:
		return DEMANGLE_MEMORY;
	case gnu_v3_complete_object_dtor:
		return DEMANGLE_WHOLE;
	case gnu_v3_base_object_dtor:
		return DEMANGLE_BASE;
	case gnu_v3_unified_dtor:
		return DEMANGLE_UNIFIED;
	default:
		return DEMANGLE_ONLY;
	}
}

char *demangle(const char *name)
{
	int options = DMGL_PARAMS | DMGL_ANSI;
	struct output output = {.text = NULL};
	size_t length;
	char *fitting;

	if (strncmp(name, "_D", 2) == 0)
		return demangle_d(name);
	if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0)
		return demangle_fortran(name);
	length = strnlen(name, LONGEST + 1);
	if (length > LONGEST)
		return NULL;
	if (length > SAFE_LENGTH)
		options |= DMGL_NO_RECURSE_LIMIT;
	output.text = malloc(LONGEST_READABLE + 1);
	if (!output.text || !write_readable(name, options, &output) || !output.used) {
		free(output.text);
		return NULL;
	}
	output.text[output.used] = '\0';
	fitting = realloc(output.text, output.used + 1);
	return fitting ? fitting : output.text;
}

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
	auto_free char *path = NULL;

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
	return strings_keep(strings, path, used);
}
