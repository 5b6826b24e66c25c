/* SPDX-License-Identifier: MIT */
/*
 * The parts of a demangled name. Must not copy, or fail: a name that is not C++ is one
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

/* Can the character be in an identifier? */
static inline bool cxx_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

/* All members point into the name. */
struct cxx_name {
	const char *name;	/* after the return type */
	const char *last;	/* its last part, after the last "::" */
	const char *parameters; /* "(" of the parameters, " [clone" or the end */
};

struct cxx_name cxx_name_parts(const char *name);

/* Skips the qualifiers of a member function: " const", " volatile", " &", " &&". */
const char *cxx_name_skip_qualifiers(const char *at);

/* Does an operator's name begin at `at`? Not inside "my_operators". */
bool cxx_name_is_operator(const char *name, const char *at);

/* Where the operator's name at `at` ends: "operator<<", "operator()", "operator new[]",
 * "operator int"; its template arguments or parameters follow. */
const char *cxx_name_skip_operator(const char *at);

/* The length of a linkage name without the suffixes that the compiler gives to its copies
 * of a function: ".constprop.0", ".isra.1", ".part.2", ".cold", ".lto_priv.3",
 * ".localalias", ".llvm.4", ".__uniq.5". */
size_t cxx_name_stem(const char *linkage_name);

/* For each byte of name (less than 4 GiB) the index of its matching bracket, or its own:
 * no bracket, or unmatched. Brackets in operators ("operator<<") and arrows do not count.
 * Owned by the caller (free). Takes linear time. */
uint32_t *cxx_brackets(const char *name);
