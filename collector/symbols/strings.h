/* SPDX-License-Identifier: MIT */
/*
 * The strings that a symbolizer hands out: each kept once, all freed together. Must not
 * know about ELF or DWARF.
 */
#pragma once

#include <stddef.h>

struct strings;

struct strings *strings_new(void);
void strings_free(struct strings *strings);

/* All return a string that is borrowed until strings_free(), the same pointer for the
 * same text; or NULL: the text is too long, or there are too many. */

/* A copy of text[0..length). */
const char *strings_keep(struct strings *strings, const char *text, size_t length);

/* The readable form of a kept linkage name; the name itself when it is not mangled. */
const char *strings_readable(struct strings *strings, const char *kept_name);

/* The path of a file, without "//", "/./" and "/x/..". Its name may be relative to
 * directory, and that to base (both may be NULL). Works by text only, so ".." after a
 * symbolic link may lead elsewhere; build systems do not make such paths. */
const char *strings_path(struct strings *strings, const char *base, const char *directory,
			 const char *name);
