/* SPDX-License-Identifier: MIT */
/*
 * Tree guides. An only child is indented by one column, others by two, so that long
 * chains of calls stay in sight. Must not assume that depths grow by one: a file may be
 * damaged.
 */
#include "analyzer/render/guides.h"

#include "common/base/xalloc.h"

#include <stdlib.h>

#define INDENT_COLUMNS 2

/* The branch of the latest row at a depth. */
struct branch {
	size_t column;
	bool open; /* siblings follow */
};

struct guides {
	const struct text_style *style;
	size_t row_count;
	size_t *depths, *indents; /* of each row */
	bool *is_last;		  /* of each row: no sibling follows */
	struct branch *branches;  /* of each depth */
};

static void find_last_siblings(struct guides *guides, size_t deepest)
{
	bool *seen = xcalloc(deepest + 1, sizeof(*seen));
	size_t seen_depth = 0;

	for (size_t i = guides->row_count; i-- > 0;) {
		size_t depth = guides->depths[i];

		for (; seen_depth > depth; seen_depth--)
			seen[seen_depth] = false;
		guides->is_last[i] = !seen[depth];
		seen[depth] = true;
		if (depth > seen_depth)
			seen_depth = depth;
	}
	free(seen);
}

static void find_indents(struct guides *guides, size_t deepest)
{
	size_t *above = xcalloc(deepest + 1, sizeof(*above));

	for (size_t i = 0; i < guides->row_count; i++) {
		size_t depth = guides->depths[i];
		bool is_first = i > 0 && guides->depths[i - 1] < depth;
		bool is_only = is_first && guides->is_last[i] && depth > 2;

		if (depth > 1)
			above[depth] = above[depth - 1] + (is_only ? 1 : INDENT_COLUMNS);
		guides->indents[i] = above[depth];
	}
	free(above);
}

struct guides *guides_new(const struct text_style *style, const struct section *section)
{
	const struct table *table = section->table;
	int column = table_column(table, section->depth_column);
	struct guides *guides = xcalloc(1, sizeof(*guides));
	size_t deepest = 1;

	guides->style = style;
	guides->row_count = table->row_count;
	guides->depths = xcalloc(table->row_count, sizeof(*guides->depths));
	guides->indents = xcalloc(table->row_count, sizeof(*guides->indents));
	guides->is_last = xcalloc(table->row_count, sizeof(*guides->is_last));
	for (size_t i = 0; i < table->row_count; i++) {
		double depth = cell_number(table_row(table, i) + column);

		guides->depths[i] = depth > 1 ? (size_t)depth : 1;
		if (guides->depths[i] > deepest)
			deepest = guides->depths[i];
	}
	guides->branches = xcalloc(deepest + 1, sizeof(*guides->branches));
	find_last_siblings(guides, deepest);
	find_indents(guides, deepest);
	return guides;
}

void guides_free(struct guides *guides)
{
	if (!guides)
		return;
	free(guides->depths);
	free(guides->indents);
	free(guides->is_last);
	free(guides->branches);
	free(guides);
}

size_t guides_indent(const struct guides *guides, size_t row)
{
	return guides->indents[row];
}

static size_t add_number(size_t depth, struct strbuf *buffer)
{
	size_t start = buffer->size;

	strbuf_printf(buffer, "[%zu] ", depth);
	return buffer->size - start;
}

size_t guides_add(struct guides *guides, size_t row, size_t room, struct strbuf *buffer)
{
	const struct text_style *style = guides->style;
	size_t depth = guides->depths[row], indent = guides->indents[row], column = 0;
	size_t own = indent > INDENT_COLUMNS ? indent - INDENT_COLUMNS : 0;

	guides->branches[depth] = (struct branch){own, !guides->is_last[row]};
	if (depth == 1)
		return 0;
	if (indent > room / 2)
		return add_number(depth, buffer);
	for (size_t i = 2; i < depth; i++) {
		const struct branch *branch = &guides->branches[i];

		if (!branch->open || branch->column < column || branch->column >= own)
			continue;
		strbuf_repeat(buffer, ' ', branch->column - column);
		strbuf_puts(buffer, style->trunk);
		column = branch->column + 1;
	}
	strbuf_repeat(buffer, ' ', own - column);
	strbuf_puts(buffer, guides->is_last[row] ? style->last_branch : style->branch);
	return own + INDENT_COLUMNS;
}
