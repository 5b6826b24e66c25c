/* SPDX-License-Identifier: MIT */
/*
 * The contract of a format for other programs: a function that writes what a document
 * holds for them, one metric of its call paths or all of a run.
 *
 * To add one that is rows: see analyzer/reports/sql/README.md. Else: export/NAME.c, a
 * line in registry.c and in meson.build.
 */
#pragma once

#include "analyzer/document/doc.h"

#include <stdio.h>

struct export_context {
	FILE *out;
	unsigned width; /* of a picture, in pixels */
};

struct exporter {
	const char *name;
	const char *summary;
	bool is_picture; /* made by a command of its own, not by 'export' */
	bool is_binary;	 /* nothing for a terminal */
	/* writes doc->profile, perhaps with doc->timeline; else doc->flame, which may be
	 * NULL */
	bool takes_profile, takes_timeline;
	/* Errors of the stream are the caller's to check. */
	void (*write)(const struct doc *doc, const struct export_context *context);
};

extern const struct exporter *const exporter_registry[];
extern const size_t exporter_registry_count;
/* Not in the registry: of formats that are .sql files, whose names reports know. */
extern const struct exporter exporter_lines;
