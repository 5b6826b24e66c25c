/* SPDX-License-Identifier: MIT */
/*
 * The parts of a demangled name. Must not copy, or fail: a name that is no C++ is all one
 * part.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ctype.h>
#include <string.h>

static inline bool cxx_starts(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Can it be in an identifier? */
static inline bool cxx_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

/* All point into the name. */
struct cxx_name {
	const char *name;	/* behind the return type */
	const char *last;	/* its last part, behind the last "::" */
	const char *parameters; /* "(" of the parameters, " [clone" or the end */
};

struct cxx_name cxx_name_parts(const char *name);

/* Behind what qualifies a member function: " const", " volatile", " &", " &&". */
const char *cxx_name_skip_qualifiers(const char *at);

/* Is there an operator's name at `at` of a name? Not a part of "my_operators". */
bool cxx_name_is_operator(const char *name, const char *at);

/* Where the name of the operator at `at` ends: "operator<<", "operator()", "operator
 * new[]", "operator int"; behind it come its template arguments or parameters. */
const char *cxx_name_skip_operator(const char *at);

/* The bytes of a linkage name without what the compiler hangs on the copies it makes of a
 * function: ".constprop.0", ".isra.1", ".part.2", ".cold", ".lto_priv.3", ".localalias",
 * ".llvm.4", ".__uniq.5". */
size_t cxx_name_stem(const char *linkage_name);

/* For each byte of name (less than 4 GiB) the place of the bracket that belongs to it,
 * its own: it is none, or has no partner. The brackets of operators ("operator<<") and
 * arrows are none. Owned by the caller (free); takes time as the name is long. */
uint32_t *cxx_brackets(const char *name);
