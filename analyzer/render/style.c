/* SPDX-License-Identifier: MIT */
/*
 * The look of text output, and wrapping. Must not write more columns than the terminal
 * has.
 */
#include "analyzer/render/style.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/base/xalloc.h"

static const char *const utf8_levels[] = {
	"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
	"\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88",
};
static const char *const ascii_levels[] = {"_", ".", ":", "-", "=", "+", "*", "#"};

static const char *const utf8_fills[] = {
	[LANE_COMPUTING] = "\xe2\x96\x88", [LANE_READY] = "\xe2\x96\x92",
	[LANE_BLOCKED] = "\xe2\x96\x91",   [LANE_UNKNOWN] = "\xe2\x94\x80",
	[LANE_MOMENT] = "\xe2\x96\xb2",
};
static const char *const ascii_fills[] = {
	[LANE_COMPUTING] = "#", [LANE_READY] = "+",  [LANE_BLOCKED] = ".",
	[LANE_UNKNOWN] = "-",	[LANE_MOMENT] = "^",
};

void text_style_init(struct text_style *style, const struct render_context *context,
		     struct name_pool *names)
{
	bool color = context->color, utf8 = context->utf8;

	*style = (struct text_style){
		.out = context->out,
		.width = context->width,
		.picture_width = context->picture_width,
		.own = utf8 ? shorten_utf8 : shorten_ascii,
		.bold = color ? "\033[1m" : "",
		.dim = color ? "\033[2m" : "",
		.good = color ? "\033[32m" : "",
		.warning = color ? "\033[33m" : "",
		.off = color ? "\033[0m" : "",
		.branch = utf8 ? "\xe2\x94\x9c " : "|-",
		.last_branch = utf8 ? "\xe2\x94\x94 " : "`-",
		.sorted = utf8 ? "\xe2\x96\xbc" : " v",
		.trunk = utf8 ? "\xe2\x94\x82" : "|",
		.fills = utf8 ? utf8_fills : ascii_fills,
		.levels = utf8 ? utf8_levels : ascii_levels,
		.level_count = sizeof(utf8_levels) / sizeof(utf8_levels[0]),
	};
	style->own.names = names;
	style->shorten = &style->own;
}

static void newline(const struct text_style *style, size_t indent)
{
	fprintf(style->out, "\n%*s", (int)indent, "");
}

void text_wrap(const struct text_style *style, const char *text, size_t first_indent,
	       size_t indent)
{
	ended_by(strbuf_free) struct strbuf word = {0}, own = {0};
	size_t column = first_indent;
	bool fresh = true; /* nothing on this line yet */

	shorten_signs(&own, text, style->shorten);
	text = strbuf_text(&own);
	while (*text) {
		size_t size = strcspn(text, " \n");
		const char *rest;

		strbuf_reset(&word);
		strbuf_add(&word, text, size);
		rest = strbuf_text(&word);
		if (!fresh && column + 1 + utf8_width(rest) > style->width) {
			newline(style, indent);
			column = indent;
		} else if (!fresh) {
			fputc(' ', style->out);
			column++;
		}
		/* A word longer than a line is broken at its end. */
		while (column + utf8_width(rest) > style->width) {
			size_t room = style->width > column ? style->width - column : 1;
			size_t part = utf8_prefix(rest, room);

			fwrite(rest, 1, part, style->out);
			rest += part;
			newline(style, indent);
			column = indent;
			if (!part)
				break;
		}
		fputs(rest, style->out);
		column += utf8_width(rest);
		fresh = false;
		text += size;
		text += strspn(text, " \n");
	}
	fputc('\n', style->out);
}

/*
 * Tree guides. An only child is indented by one column, others by two, so that long
 * chains of calls stay in sight. Must not assume that depths grow by one: a file may be
 * damaged.
 */

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
	auto_free bool *seen = xcalloc(deepest + 1, sizeof(*seen));
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
}

static void find_indents(struct guides *guides, size_t deepest)
{
	auto_free size_t *above = xcalloc(deepest + 1, sizeof(*above));

	for (size_t i = 0; i < guides->row_count; i++) {
		size_t depth = guides->depths[i];
		bool is_first = i > 0 && guides->depths[i - 1] < depth;
		bool is_only = is_first && guides->is_last[i] && depth > 2;

		if (depth > 1)
			above[depth] = above[depth - 1] + (is_only ? 1 : INDENT_COLUMNS);
		guides->indents[i] = above[depth];
	}
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
