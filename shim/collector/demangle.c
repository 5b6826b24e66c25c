/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the bridge to libiberty's demanglers.
 * Runs on:       any thread; no state.
 * Must not:      trust the name: it comes from a file that may be damaged.
 * See also:      demangle.h
 */
#include "shim/collector/demangle.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <libiberty/demangle.h>

/* libiberty refuses C++ names of more than 1024 bytes unless its limits are lifted; then
 * its stack use grows with the name (about 64 bytes a character before the recursion), so
 * a limit of ours stands instead. Real template names end far below it. */
#define SAFE_LENGTH 1024
#define LONGEST 8192

/* Rust's legacy scheme is C++'s with a hash at the end: ...17h0123456789abcdefE */
static bool maybe_rust(const char *name)
{
	return strncmp(name, "_R", 2) == 0 || strstr(name, "17h") != NULL;
}

char *demangle(const char *name)
{
	int options = DMGL_PARAMS | DMGL_ANSI;
	char *text = NULL;
	size_t length;

	if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0)
		return NULL;
	length = strnlen(name, LONGEST + 1);
	if (length > LONGEST)
		return NULL;
	if (length > SAFE_LENGTH)
		options |= DMGL_NO_RECURSE_LIMIT;
	if (maybe_rust(name))
		text = rust_demangle(name, options);
	if (!text && name[1] == 'Z')
		text = cplus_demangle_v3(name, options);
	return text;
}
