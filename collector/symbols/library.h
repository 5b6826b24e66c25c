/* SPDX-License-Identifier: MIT */
/*
 * What counts as library: code that the user of a program did not write, whose
 * allocations are those of the code that called it. The one place of this rule;
 * docs/recording.md tells it to people.
 */
#pragma once

#include <regex.h>
#include <stdbool.h>

struct library {
	regex_t pattern;
	bool has_pattern;
	bool is_installed; /* the program itself was brought by a package */
};

/* What is known of a function. NULL: not known. */
struct library_function {
	const char *name, *file, *module;
};

/* pattern: PROFSHIM_LIBRARY, an extended regular expression; what cannot be one counts as
 * none. executable: of the run's first process. Free with library_done(). */
void library_init(struct library *ret, const char *pattern, const char *executable);
void library_done(struct library *library);

/* Why a pattern is refused, or NULL. */
const char *library_refuse(const char *pattern);

bool library_has(const struct library *library, const struct library_function *function);
