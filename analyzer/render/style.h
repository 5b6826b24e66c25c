/* SPDX-License-Identifier: MIT */
/* How text output looks: colours and the characters it draws with. */
#pragma once

#include "analyzer/model/shorten.h"
#include "analyzer/render/render.h"

struct text_style {
	FILE *out;
	size_t width, picture_width;
	const struct shorten_style *shorten;
	struct shorten_style own; /* shorten may point here */
	/* Escape sequences, empty without colour. */
	const char *bold, *dim, *good, *warning, *off;
	/* Tree guides: a child with and without later siblings (two columns), an ancestor
	 * with later siblings (one column). */
	const char *branch, *last_branch, *trunk;
	const char *sorted; /* after the title of the sort column */
	/* From low to high. */
	const char *const *levels;
	size_t level_count;
	/* How slices are drawn, by enum lane_state. */
	const char *const *fills;
};

/* names: those of the document, may be NULL. */
void text_style_init(struct text_style *style, const struct render_context *context,
		     struct name_pool *names);

/* Writes text wrapped at words and ends it with a newline. The first line starts after
 * first_indent columns that are already written, the others after indent spaces. */
void text_wrap(const struct text_style *style, const char *text, size_t first_indent,
	       size_t indent);
/* Writes a section of lanes with times and a legend. */
void text_lanes(const struct text_style *style, const struct section *section);
/* Writes a table section with header, rows and last line. */
void text_table(const struct text_style *style, const struct section *section);

/* The lines before the names of a tree that show which row belongs to which. */

struct guides;

/* For a section with a depth column. */
struct guides *guides_new(const struct text_style *style, const struct section *section);
void guides_free(struct guides *guides);

/* Columns before the row's name if there is room enough. */
size_t guides_indent(const struct guides *guides, size_t row);

/* Appends a row's guides and returns their columns; must be called for all rows in order.
 * Rows indented past half of the room get their depth as a number. */
size_t guides_add(struct guides *guides, size_t row, size_t room, struct strbuf *buffer);
