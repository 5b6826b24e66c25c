/* SPDX-License-Identifier: MIT */
/* Which functions need not be demangled to know that a rule does not fit them. */
#pragma once

#include <stddef.h>

/*
 * The word of a rule about whole names that is part of the linkage name of each function
 * that the rule fits, as the compiler writes identifiers out: the last of its name. What
 * has a short form there ("std::string", "int") is none, nor what a wildcard or a bracket
 * that is not whole may have around it. Returns its size and, in the text, where it is;
 * 0: there is none, any function may fit.
 */
size_t name_word_find(const char *rule, size_t size, const char **ret);
