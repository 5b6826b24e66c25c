/* SPDX-License-Identifier: MIT */
/*
 * What counts as library: code that the user of a program did not write, whose
 * allocations are those of the code that called it. The one place of this rule;
 * docs/recording.md tells it to people.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct library_rule;

struct library {
	struct library_rule *rules; /* the user's, in their order */
	size_t rule_count;
	const char *refused; /* why the first was left out that was; NULL: none */
	bool is_installed;   /* the program itself was brought by a package */
};

/* What is known of a function. name: demangled, as a symbol table or debug information
 * has it. NULL: not known. */
struct library_function {
	const char *name, *file, *module;
};

/* rules: PROFSHIM_LIBRARY, a rule on each line: an extended regular expression, what fits
 * it is library; or one behind a "!", what fits it is not. The last that fits decides,
 * before all else. What cannot be one is left out. executable: of the run's first
 * process. Free with library_done(). */
void library_init(struct library *ret, const char *rules, const char *executable);
void library_done(struct library *library);

/* Why rules are refused, or NULL. */
const char *library_refuse(const char *rules);

bool library_has(const struct library *library, const struct library_function *function);
