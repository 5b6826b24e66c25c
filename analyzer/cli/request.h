/* SPDX-License-Identifier: MIT */
/* What a command line asks for. */
#pragma once

#include "analyzer/export/export.h"
#include "analyzer/render/render.h"
#include "analyzer/reports/report.h"

struct request {
	const struct report *report;
	const struct renderer *renderer;
	const struct exporter *exporter; /* instead of the renderer; NULL: none */
	struct report_options options;
	const char *database;	/* databases[0]; NULL: none given and none needed */
	const char **databases; /* TAKES_SIDES: all */
	size_t database_count;
	size_t before_databases; /* TAKES_SIDES: how many come before "--"; 0: no "--" */
	const char *run;	 /* number or label; NULL: the latest */
	const char *output;	 /* NULL: stdout */
	bool no_limits, no_wait;
	bool as_is; /* see cli_run() in main.c */
};
