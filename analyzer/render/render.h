/* SPDX-License-Identifier: MIT */
/*
 * The contract of a format: a function that writes a document.
 *
 * To add one: render/NAME.c, a line in registry.c and in meson.build.
 */
#pragma once

#include "analyzer/document/doc.h"

#include <stdio.h>

struct render_context {
	FILE *out;
	size_t width;	      /* of the terminal, in columns; text only */
	size_t picture_width; /* likewise, and less where it has less than text needs */
	bool color;	      /* text only */
	bool utf8;	      /* may draw with more than ASCII; text only */
};

struct renderer {
	const char *name;
	bool for_machines;   /* reports leave nothing out for it */
	bool is_page;	     /* reads well with many rows, and is no text of a terminal */
	bool needs_checks;   /* only for reports with a gate (TAKES_GATE) */
	bool needs_findings; /* only for reports of findings (TAKES_FINDINGS) */
	/* By render_document() only. */
	void (*render)(const struct doc *doc, const struct render_context *context);
};

/* Writes the document; of what is for people every text is made plain before
 * (analyzer/document/plain.h). Errors of the stream are the caller's to check. */
void render_document(const struct renderer *renderer, struct doc *doc,
		     const struct render_context *context);

extern const struct renderer *const renderer_registry[];
extern const size_t renderer_registry_count;
