/* SPDX-License-Identifier: MIT */
/*
 * Words of the command line that are no options, for cli.c. Must not open the database.
 */
#pragma once

#include "analyzer/cli/request.h"

/* Number of commands, in the order of --help: reports, then those that show a running
 * program. */
size_t cli_command_count(void);
const struct report *cli_command(size_t index);

/* Replaces "--" among the arguments of reports with TAKES_SIDES. */
extern char cli_side_mark[];

/* Finds a report by name; or NULL. */
const struct report *cli_find_report(const char *name);

/* Replaces "--" between the sides of a report by cli_side_mark: argp would take it for
 * the end of options. */
void cli_mark_sides(int argc, char **argv);

/* Assigns the positional arguments, or refuses them. */
void cli_assign(char *const *arguments, size_t count, struct request *ret);

/* Says what is wrong with a command line, and how to get help, and ends the program. */
_Noreturn void cli_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether the report writes one format for other programs (export/) and takes no
 * --format. */
bool cli_writes_one_format(const struct report *report);
/* Whether the report's first word names a format, as in export. */
bool cli_names_format(const struct report *report);
/* Sets ret->exporter for such a report: its own one, or that of its first word. */
void cli_choose_exporter(struct request *ret);
