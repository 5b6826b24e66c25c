/* SPDX-License-Identifier: MIT */
/* The lines before the names of a tree that show which row belongs to which. */
#pragma once

#include "analyzer/render/style.h"

struct guides;

/* For a section with a depth column. */
struct guides *guides_new(const struct text_style *style, const struct section *section);
void guides_free(struct guides *guides);

/* Columns before the row's name if there is room enough. */
size_t guides_indent(const struct guides *guides, size_t row);

/* Appends a row's guides and returns their columns; must be called for all rows in order.
 * Rows indented past half of the room get their depth as a number. */
size_t guides_add(struct guides *guides, size_t row, size_t room, struct strbuf *buffer);
