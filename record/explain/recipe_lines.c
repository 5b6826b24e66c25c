/* SPDX-License-Identifier: MIT */
/* Lines to be pasted into a shell: none is longer than 80 columns. */
#include "record/explain/recipe_lines.h"

#include <stdio.h>
#include <string.h>

/* One language of one compiler. */
struct dialect {
	const char *word, *flags;
	const char *cmake, *meson, *compiler, *switches;
};

static struct dialect dialect_of(enum compiler compiler, bool is_cxx)
{
	bool is_clang = compiler == COMPILER_CLANG;

	if (is_cxx)
		return (struct dialect){is_clang ? "clang++" : "g++",
					recipe_flags(compiler),
					"CMAKE_CXX_FLAGS",
					"cpp_args",
					"CXX",
					"CXXFLAGS"};
	return (struct dialect){is_clang ? "clang" : "gcc",
				RECIPE_HOOKS,
				"CMAKE_C_FLAGS",
				"c_args",
				"CC",
				"CFLAGS"};
}

/* A backslash between words; in quotes it is taken out with its line end. */
static void put_flags(const char *flags)
{
	const char *space = strchr(flags, ' ');

	if (space)
		printf("%.*s \\\n    %s", (int)(space - flags), flags, space + 1);
	else
		printf("%s", flags);
}

static void say_one(const struct dialect *dialect)
{
	printf("  %s -O2 -g ", dialect->word);
	put_flags(dialect->flags);
	printf(" ...\n\nCMake\n  cmake -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo \\\n"
	       "    -D%s=\"",
	       dialect->cmake);
	put_flags(dialect->flags);
	printf("\"\n\nMeson\n  meson setup build -Dbuildtype=debugoptimized \\\n"
	       "    -D%s=\"",
	       dialect->meson);
	put_flags(dialect->flags);
	printf("\"\n\nAutotools\n  ./configure %s=%s \\\n    %s=\"-O2 -g ",
	       dialect->compiler, dialect->word, dialect->switches);
	put_flags(dialect->flags);
	printf("\"\n");
}

void recipe_say(enum compiler compiler, bool is_cxx)
{
	struct dialect gcc = dialect_of(COMPILER_GCC, is_cxx),
		       clang = dialect_of(COMPILER_CLANG, is_cxx);
	bool is_known = compiler == COMPILER_GCC || compiler == COMPILER_CLANG;

	putchar('\n');
	if (compiler != COMPILER_CLANG)
		say_one(&gcc);
	if (!is_known)
		printf("\nor with clang\n\n");
	if (compiler != COMPILER_GCC)
		say_one(&clang);
}
