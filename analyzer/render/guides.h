/* SPDX-License-Identifier: MIT */
/* The lines before the names of a tree that show who belongs to whom. */
#pragma once

#include "analyzer/render/style.h"

struct guides;

/* For a section with a depth column. */
struct guides *guides_new(const struct text_style *style, const struct section *section);
void guides_free(struct guides *guides);

/* Columns before the name of a row when there is room enough. */
size_t guides_indent(const struct guides *guides, size_t row);

/* Appends the guides of a row, to be called for every row in order; returns their
 * columns. A row that is indented past half of the room gets its depth as a number. */
size_t guides_add(struct guides *guides, size_t row, size_t room, struct strbuf *buffer);
