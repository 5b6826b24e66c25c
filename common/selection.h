/* SPDX-License-Identifier: MIT */
/*
 * Which functions are recorded: the rules of PROFSHIM_ONLY and PROFSHIM_SKIP, and what
 * they fit. Must not allocate, call libc, or print: the shim and the collector use it.
 *
 * A list is words separated by commas; a word is one rule:
 *
 *     parse_line, luaH_*, Parser::next     functions, by linkage name or C++ name
 *     Parser<int>::next, f(int), *::operator==    the same, by whole names
 *     namespace:acme::net                  what is in it, and in those inside of it
 *     module:libcodec.so*                  objects, by file name
 *     file:src/parser.c, file:src/json/    what is defined there, by source path
 *
 * Words are shell patterns: '*' is any text, slashes included, '?' one character. A C++
 * name is without its parameters: "Parser::next" is all its overloads; it ends where
 * templates ("twice<*") and operators begin. A word that goes on behind a
 * "<", or has a "(" or an operator, is about the whole name as a demangler writes it,
 * without what it returns, and without parameters unless the word has some; or as a
 * report prints it: "f<..>(int)" with what was left out, "helper [a.c]" of a source file,
 * and so is one that begins with "std::". Commas inside of brackets belong to a name.
 * Modules and source files go by the file's name, or with a slash in the word by the end
 * of the path; one that ends with a slash is a directory and all below it.
 *
 * Whole names and source files are known to who demangles and reads debug
 * information (common/segment_control.h), not to the shim.
 *
 * A function is recorded when a rule of PROFSHIM_ONLY fits it, or there is none, and no
 * rule of PROFSHIM_SKIP does.
 */
#pragma once

#include <stdint.h>

#include "common/segment.h"

#define SELECTION_RULE_LIMIT 64u

enum selection_kind {
	SELECTION_FUNCTION,
	SELECTION_NAMESPACE,
	SELECTION_MODULE,
	SELECTION_FILE,
	SELECTION_WHOLE_NAME, /* a function, by more than symbol tables tell */
	SELECTION_KINDS
};

struct selection_rule {
	enum selection_kind kind;
	const char *text; /* borrowed, not ended */
	uint32_t length;
};

/* The rules of PROFSHIM_ONLY, then those of PROFSHIM_SKIP. Sets of them are bits. */
struct selection {
	struct selection_rule rules[SELECTION_RULE_LIMIT];
	uint32_t count, only_count;
};

/* The rules of two lists, which are kept; NULL: an empty one. NULL, or a sentence about
 * what is wrong with the first list that is. */
const char *selection_read(struct selection *ret, const char *only, const char *skip);

/* The rules of one kind that a name fits. Of functions: both names are tried. */
uint64_t selection_fit(const struct selection *selection, enum selection_kind kind,
		       const char *name);

/* The rules of one kind. */
uint64_t selection_of_kind(const struct selection *selection, enum selection_kind kind);

/* Those that the shim cannot apply. */
static inline uint64_t selection_sources(const struct selection *selection)
{
	return selection_of_kind(selection, SELECTION_FILE) |
	       selection_of_kind(selection, SELECTION_WHOLE_NAME);
}

/* The rules of PROFSHIM_ONLY. */
static inline uint64_t selection_only(const struct selection *selection)
{
	return selection->only_count < 64 ? (1ull << selection->only_count) - 1
					  : UINT64_MAX;
}

/* Is a function off which these rules fit, and no others? */
static inline int selection_is_off(const struct selection *selection, uint64_t rules)
{
	uint64_t only = selection_only(selection);

	return (selection->only_count && !(rules & only)) || (rules & ~only);
}
