/* SPDX-License-Identifier: MIT */
/* Words. gcc looks for the list's in the names of files; clang has no such list. */
#include "common/flags/recipe.h"

#include <string.h>

#define GCC_HEADERS "-finstrument-functions-exclude-file-list=/usr/include"
#define CLANG_HEADERS "-finstrument-functions-after-inlining"

const char *compiler_word(enum compiler compiler)
{
	return compiler == COMPILER_GCC	    ? "gcc"
	       : compiler == COMPILER_CLANG ? "clang"
					    : NULL;
}

enum compiler compiler_from_word(const char *word)
{
	if (word && strcmp(word, "gcc") == 0)
		return COMPILER_GCC;
	return word && strcmp(word, "clang") == 0 ? COMPILER_CLANG : COMPILER_UNKNOWN;
}

const char *recipe_headers(enum compiler compiler)
{
	return compiler == COMPILER_CLANG ? CLANG_HEADERS : GCC_HEADERS;
}

const char *recipe_flags(enum compiler compiler)
{
	return compiler == COMPILER_CLANG ? CLANG_HEADERS : RECIPE_HOOKS " " GCC_HEADERS;
}

const char *recipe_advice(enum compiler compiler)
{
	if (compiler == COMPILER_CLANG)
		return "Leave out what the compiler inlines: " CLANG_HEADERS
		       " in place of " RECIPE_HOOKS;
	if (compiler == COMPILER_GCC)
		return "Leave the system's headers out: add " GCC_HEADERS;
	return "Leave the system's headers out: with g++ add " GCC_HEADERS
	       ", with clang++ take " CLANG_HEADERS " in place of " RECIPE_HOOKS;
}
