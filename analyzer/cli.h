/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the command line of prof-analyze.
 * Must not:      open the database.
 */
#pragma once

#include "analyzer/render/render.h"
#include "analyzer/reports/report.h"

struct cli {
	const struct report *report;
	const struct renderer *renderer;
	struct report_options options;
	const char *database; /* NULL: none given, and none needed */
	const char *run;      /* number or label; NULL: the latest */
	const char *output;   /* NULL: stdout */
};

/* Parses; ends the program after --help and --version (status 0) and after a usage
 * error (status 2). Strings point into argv. */
void cli_parse(int argc, char **argv, struct cli *ret);

/* Which of the positional arguments is what. Returns an error sentence in error, or
 * an empty one. For tests; cli_parse() uses it. */
void cli_assign(char *const *arguments, size_t count, struct cli *ret,
		struct strbuf *error);
