/* SPDX-License-Identifier: MIT */
/*
 * What the programs' command lines share above glibc's argp. Must not show a word of the
 * command line that could steer the terminal.
 */
#pragma once

#include <argp.h>
#include <stdbool.h>

/* Parses with argp_parse(); a wrong command line ends the program with status 2. --help
 * is the parser's own. */
void options_parse(const struct argp *argp, int argc, char **argv, unsigned flags,
		   void *input);
/* The help on stdout. title: the program, with the command. */
void options_help(const struct argp *argp, const char *title);

/* For parsers: says why, and how to get help; ends the program with status 2. */
void options_refuse(const struct argp_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A whole number from least to most; false: text is none. */
bool options_number(const char *text, long least, long most, long *ret);
