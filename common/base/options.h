/* SPDX-License-Identifier: MIT */
/*
 * What the programs' command lines share on top of glibc's argp. Must not show a word of
 * the command line that could control the terminal.
 */
#pragma once

#include <argp.h>
#include <stdbool.h>

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
