/* SPDX-License-Identifier: MIT */
/*
 * The look of text output, and wrapping. Must not write more columns than the terminal
 * has.
 */
#include "analyzer/render/style.h"

#include "common/base/text.h"

#include <string.h>

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
	struct strbuf word = {0}, own = {0};
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
	strbuf_free(&word);
	strbuf_free(&own);
}
