/* SPDX-License-Identifier: MIT */
/*
 * The strings a symbolizer hands out: kept once each, freed together. Must not know
 * about ELF or DWARF.
 */
#pragma once

#include <stddef.h>

struct strings;

struct strings *strings_new(void);
void strings_free(struct strings *strings);

/* All return a string that is borrowed until strings_free() and the same pointer
 * for the same text, or NULL: the text is longer than any name, or there are too many. */

/* A copy of text[0..length). */
const char *strings_keep(struct strings *strings, const char *text, size_t length);

/* The readable form of a kept linkage name; the name itself when it is not mangled. */
const char *strings_readable(struct strings *strings, const char *kept_name);

/* The path of a file whose name may be relative to directory, which may be relative to
 * base (both may be NULL), without "//", "/./" and "/x/..". (Purely by text: a path
 * through a symbolic link followed by ".." may come out different; build systems do not
 * make such.) */
const char *strings_path(struct strings *strings, const char *base, const char *directory,
			 const char *name);
