/* SPDX-License-Identifier: MIT */
/*
 * A format is a function that writes a document.
 *
 * To add one: render/NAME.c, a line in registry.c and in meson.build.
 */
#pragma once

#include "analyzer/document/doc.h"

#include <stdio.h>

struct render_context {
	FILE *out;
	size_t width;	      /* of the terminal, in columns; text only */
	size_t picture_width; /* the same, but may be too narrow for text */
	bool color;	      /* text only */
	bool utf8;	      /* may draw with more than ASCII; text only */
};

struct renderer {
	const char *name;
	bool for_machines;   /* reports leave nothing out */
	bool is_page;	     /* has room for many rows, and is no terminal text */
	bool needs_checks;   /* only for reports with a gate (TAKES_GATE) */
	bool needs_findings; /* only for reports of findings (TAKES_FINDINGS) */
	/* Called by render_document() only. */
	void (*render)(const struct doc *doc, const struct render_context *context);
};

/* Writes the document. For people all texts are cleaned first
 * (analyzer/document/plain.h). The caller checks the stream for errors. */
void render_document(const struct renderer *renderer, struct doc *doc,
		     const struct render_context *context);

extern const struct renderer *const renderer_registry[];
extern const size_t renderer_registry_count;
