/* SPDX-License-Identifier: MIT */
/*
 * The bridge to libiberty's demanglers. Must not trust the name: it comes from a file
 * that may be damaged.
 */
#include "collector/symbols/symbol.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"

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
