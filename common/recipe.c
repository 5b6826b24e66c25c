/* SPDX-License-Identifier: MIT */
/* The words of the build options. gcc looks for the listed words in file names; clang has
 * no such option. */
#include "common/recipe.h"

#include <stddef.h>

#define GCC_HEADERS "-finstrument-functions-exclude-file-list=/usr/include"
#define CLANG_HEADERS "-finstrument-functions-after-inlining"

const char *compiler_word(enum compiler compiler)
{
	return compiler == COMPILER_GCC	    ? "gcc"
	       : compiler == COMPILER_CLANG ? "clang"
					    : NULL;
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
