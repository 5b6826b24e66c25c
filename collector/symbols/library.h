/* SPDX-License-Identifier: MIT */
/*
 * What counts as library: code that the program's author did not write, whose allocations
 * are attributed to the code that called it. This is the only place of the rule;
 * docs/recording.md explains it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct library_rule;

struct library {
	struct library_rule *rules; /* the user's, in their order */
	size_t rule_count;
	const char *refused; /* why a rule was ignored, the first one; NULL: none */
	bool is_installed;   /* the program itself is from a package */
};

/* What is known about a function. name: demangled, as in a symbol table or debug
 * information. NULL: not known. */
struct library_function {
	const char *name, *file, *module;
};

/* rules: PROFSHIM_LIBRARY, one rule a line: an extended regular expression that matches
 * library code, or "!" and one that matches other code. The last match decides, before
 * anything else. Invalid rules are ignored. executable: of the run's first process. Free
 * with library_done(). */
void library_init(struct library *ret, const char *rules, const char *executable);
void library_done(struct library *library);

/* Why the rules are invalid, or NULL. */
const char *library_refuse(const char *rules);

bool library_has(const struct library *library, const struct library_function *function);
