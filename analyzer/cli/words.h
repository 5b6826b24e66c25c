/* SPDX-License-Identifier: MIT */
/*
 * The words of the command line that are no options, for cli.c. Must not open the
 * database.
 */
#pragma once

#include "analyzer/cli/request.h"

/* All commands, in the order of --help: the reports, and those that show a program while
 * it runs. */
size_t cli_command_count(void);
const struct report *cli_command(size_t index);

/* Stands for "--" among the positional arguments of a report with TAKES_SIDES. */
extern char cli_side_mark[];

/* NULL: there is no such report. */
const struct report *cli_find_report(const char *name);

/* "--" stands between the sides of a report that has sides; for argp it would end the
 * options: it becomes cli_side_mark. */
void cli_mark_sides(int argc, char **argv);

/* Which of the positional arguments is what. Returns an error sentence in error, or
 * an empty one. */
void cli_assign(char *const *arguments, size_t count, struct request *ret,
		struct strbuf *error);

/* Whether the report writes one format for other programs (export/) and takes no
 * --format. */
bool cli_writes_one_format(const struct report *report);
/* Whether its first word names the format, as export's. */
bool cli_names_format(const struct report *report);
/* Sets ret->exporter for such a report: its own, or the one that its first word names. */
void cli_choose_exporter(struct request *ret, struct strbuf *error);
