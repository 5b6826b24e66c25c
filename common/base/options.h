/* SPDX-License-Identifier: MIT */
/*
 * What users write: command lines, on top of glibc's argp; words that are nearly right;
 * regular expressions. Must not show a word that could control the terminal.
 */
#pragma once

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

/* "did you mean": the number of insertions, deletions, changes and swaps of neighbours
 * that turn a into b, ignoring case. Longer words are compared by their first 63 bytes.
 */
unsigned nearest_distance(const char *a, const char *b);

/* The word nearest to wanted if near enough to be a typing mistake, else NULL. */
const char *nearest_word(const char *wanted, const char *const *words, size_t count);

/* Can a regular expression be compiled and matched quickly? NULL, or why not: it is too
 * long, repeats too much (the C library unrolls a{9}{9} and (a+)+ into copies) or repeats
 * something with an anchor, or has back-references, whose matching takes exponential
 * time. Call it before regcomp(), which says whether it is a regular expression at all.
 */
const char *pattern_refuse(const char *pattern);

/* Parses with argp_parse(). A wrong command line ends the program with status 2. The
 * parser handles --help itself. */
void options_parse(const struct argp *argp, int argc, char **argv, unsigned flags,
		   void *input);
/* Prints the help to stdout. title: the program, with the command. */
void options_help(const struct argp *argp, const char *title);

/* For parsers: prints the reason and how to get help; ends the program with status 2. */
void options_refuse(const struct argp_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Reads a whole number from least to most; false: text is not one. */
bool options_number(const char *text, long least, long most, long *ret);
