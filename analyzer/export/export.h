/* SPDX-License-Identifier: MIT */
/*
 * An exporter is a function that writes a document for other programs: one metric of its
 * call paths, or a whole run.
 *
 * To add one made of rows see analyzer/reports/sql/README.md; else add export/NAME.c and
 * a line in registry.c and meson.build.
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
	bool is_picture; /* has a command of its own instead of 'export' */
	bool is_binary;	 /* must not go to a terminal */
	/* writes doc->profile, perhaps with doc->timeline; else doc->flame (may be
	 * NULL) */
	bool takes_profile, takes_timeline;
	/* The caller checks the stream for errors. */
	void (*write)(const struct doc *doc, const struct export_context *context);
};

extern const struct exporter *const exporter_registry[];
extern const size_t exporter_registry_count;
/* For formats that are .sql files, whose names reports know; not in the registry. */
extern const struct exporter exporter_lines;
