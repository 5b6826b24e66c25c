/* SPDX-License-Identifier: MIT */
/* Which functions need not be demangled to know that a rule does not fit them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * What is part of the linkage name of each function that a rule about whole names fits,
 * as the compiler writes identifiers out: a word, the last of its name that has no short
 * form there ("std::string", "int"), nor anything around it that a wildcard or a bracket
 * that is not whole may have; and one of the codes, for what is an operator, a
 * destructor, or the constructor of a template. Either may be missing (size 0; NULL): any
 * function may fit.
 */
struct name_word {
	const char *text; /* borrowed from the rule */
	size_t size;
	const char *const *codes; /* ended by NULL */
};

struct name_word name_word_find(const char *rule, size_t size);

/* Are they in the linkage name? */
bool name_word_is_in(const struct name_word *word, const char *linkage_name, size_t size);
