/* SPDX-License-Identifier: MIT */
/*
 * Shortening of names, file places and call chains. Must not cut inside a UTF-8
 * character.
 */
#include "analyzer/model/shorten.h"

#include "common/base/text.h"
#include "common/base/xalloc.h"
#include "analyzer/model/table.h"
#include "analyzer/model/units.h"
#include "analyzer/names/name_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct shorten_style shorten_utf8 = {"\xe2\x80\xa6", " \xe2\x86\x92 ", " \xc2\xb1",
					   NULL};
const struct shorten_style shorten_ascii = {"..", " -> ", UNITS_ERROR_SIGN, NULL};

void shorten_signs(struct strbuf *buffer, const char *text,
		   const struct shorten_style *style)
{
	const char *sign;

	for (; (sign = strstr(text, UNITS_ERROR_SIGN));
	     text = sign + strlen(UNITS_ERROR_SIGN))
		strbuf_printf(buffer, "%.*s%s", (int)(sign - text), text, style->error);
	strbuf_puts(buffer, text);
}

void shorten_end(struct strbuf *buffer, const char *text, size_t width,
		 const struct shorten_style *style)
{
	size_t mark = utf8_width(style->ellipsis);
	ended_by(strbuf_free) struct strbuf own = {0};

	shorten_signs(&own, text, style);
	text = strbuf_text(&own);
	if (utf8_width(text) <= width) {
		strbuf_puts(buffer, text);
	} else {
		strbuf_add(buffer, text,
			   utf8_prefix(text, width <= mark ? width : width - mark));
		strbuf_puts(buffer, width <= mark ? "" : style->ellipsis);
	}
}

static bool starts(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

static bool ends_with(const struct strbuf *buffer, const char *word)
{
	size_t size = strlen(word);

	return buffer->size >= size &&
	       memcmp(buffer->data + buffer->size - size, word, size) == 0;
}

void shorten_middle(struct strbuf *buffer, const char *text, size_t width,
		    const struct shorten_style *style)
{
	size_t mark = utf8_width(style->ellipsis), tail;

	if (utf8_width(text) <= width || width <= mark + 2) {
		shorten_end(buffer, text, width, style);
		return;
	}
	/* The end of a name (the method) says more than its start (the namespace). */
	tail = (width - mark) * 3 / 5;
	strbuf_add(buffer, text, utf8_prefix(text, width - mark - tail));
	tail = utf8_suffix(text, tail);
	text += strlen(text) - tail;
	/* An ellipsis that is already there makes a second one needless. */
	while (ends_with(buffer, style->ellipsis))
		strbuf_truncate(buffer, buffer->size - strlen(style->ellipsis));
	while (starts(text, style->ellipsis))
		text += strlen(style->ellipsis);
	strbuf_puts(buffer, style->ellipsis);
	strbuf_puts(buffer, text);
}

void shorten_name(struct strbuf *buffer, const char *name, size_t width,
		  const struct shorten_style *style)
{
	name_pool_shorten(style->names, buffer, name, width, style->ellipsis);
}

void shorten_location(struct strbuf *buffer, const char *file, unsigned line,
		      size_t width, const struct shorten_style *style)
{
	ended_by(strbuf_free) struct strbuf place = {0};
	const char *at = file;

	for (;;) {
		const char *slash;

		/* "./" and "../" are dropped: they mean nothing here. */
		while (starts(at, "./") || starts(at, "../"))
			at = strchr(at, '/') + 1;
		slash = strchr(at[0] == '/' ? at + 1 : at, '/');

		strbuf_reset(&place);
		strbuf_puts(&place, at);
		if (line)
			strbuf_printf(&place, ":%u", line);
		if (utf8_width(strbuf_text(&place)) <= width || !slash || !slash[1])
			break;
		at = slash + 1;
	}
	shorten_middle(buffer, strbuf_text(&place), width, style);
}

/* Least width of a name in a chain, with "x12" behind it. */
#define LEAST_NAME 12

struct link {
	char *name;
	size_t times;
};

/* Splits the chain; neighbours of the same name become one link. */
static struct link *split(const char *chain, size_t *ret_count)
{
	struct link *links = NULL;
	size_t count = 0;

	while (*chain) {
		size_t size = strcspn(chain, "\x1f");
		char *name = xstrndup(chain, size);

		if (count && strcmp(links[count - 1].name, name) == 0) {
			links[count - 1].times++;
			free(name);
		} else {
			ARRAY_ADD(links, count) = (struct link){name, 1};
		}
		chain += size;
		if (*chain == TABLE_CHAIN_END)
			chain++;
	}
	*ret_count = count;
	return links;
}

static void free_links(struct link *links, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(links[i].name);
	free(links);
}

struct chain {
	struct link *links;
	size_t count;
	size_t width, lines;
	const struct shorten_style *style;
};

static void put_link(struct strbuf *buffer, const struct link *link, size_t width,
		     const struct shorten_style *style)
{
	char times[24] = "";

	if (link->times > 1)
		snprintf(times, sizeof(times), " x%zu", link->times);
	shorten_name(buffer, link->name,
		     width > strlen(times) ? width - strlen(times) : 1, style);
	strbuf_puts(buffer, times);
}

/* Writes the chain without left_out links after the first, names at most name_width wide.
 * Returns the number of lines. */
static size_t write_chain(struct strbuf *buffer, const struct chain *chain,
			  size_t left_out, size_t name_width)
{
	const struct shorten_style *style = chain->style;
	size_t column = 0, lines = 1, arrow = utf8_width(style->arrow);
	ended_by(strbuf_free) struct strbuf name = {0};

	for (size_t i = 0; i < chain->count; i++) {
		strbuf_reset(&name);
		if (left_out && i == 1) {
			strbuf_printf(&name, "(%zu more)", left_out);
			i = left_out;
		} else {
			put_link(&name, &chain->links[i], name_width, style);
		}
		if (column &&
		    column + arrow + utf8_width(strbuf_text(&name)) > chain->width) {
			strbuf_putc(buffer, '\n');
			strbuf_puts(buffer, style->arrow + 1);
			column = arrow - 1;
			lines++;
		} else if (column) {
			strbuf_puts(buffer, style->arrow);
			column += arrow;
		}
		strbuf_puts(buffer, strbuf_text(&name));
		column += utf8_width(strbuf_text(&name));
	}
	return lines;
}

static bool fits(const struct chain *chain, size_t left_out, size_t name_width)
{
	ended_by(strbuf_free) struct strbuf scratch = {0};
	size_t lines = write_chain(&scratch, chain, left_out, name_width);

	return lines <= chain->lines;
}

/* The fewest links to leave out so that the chain fits, by bisection. At least the first
 * and the last link stay. */
static size_t find_left_out(const struct chain *chain, size_t name_width)
{
	size_t low = 1, high = chain->count - 2;

	if (chain->count < 4 || fits(chain, 0, name_width))
		return 0;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (fits(chain, middle, name_width))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The width for a name on a line of its own, without an arrow. */
static size_t widest_name(const struct chain *chain)
{
	size_t arrow = utf8_width(chain->style->arrow);

	return chain->width > arrow + LEAST_NAME ? chain->width - arrow : LEAST_NAME;
}

void shorten_chain(struct strbuf *buffer, const char *text, size_t width, size_t lines,
		   const struct shorten_style *style)
{
	struct chain chain = {.width = width, .lines = lines, .style = style};
	size_t left_out = 0, name_width;

	chain.links = split(text, &chain.count);
	name_width = widest_name(&chain);
	if (lines && !fits(&chain, 0, name_width)) {
		/* More names say more than longer ones: two on a line. */
		if (name_width / 2 > 3 * LEAST_NAME / 2)
			name_width = name_width / 2 - utf8_width(style->arrow);
		while (true) {
			left_out = find_left_out(&chain, name_width);
			if (fits(&chain, left_out, name_width) ||
			    name_width <= LEAST_NAME)
				break;
			name_width -= name_width > 2 * LEAST_NAME ? LEAST_NAME / 2 : 1;
		}
	}
	write_chain(buffer, &chain, left_out, name_width);
	free_links(chain.links, chain.count);
}

void shorten_chain_end(struct strbuf *buffer, const char *text, size_t width,
		       const struct shorten_style *style)
{
	size_t count, first, used = 0, arrow = utf8_width(style->arrow);
	struct link *links = split(text, &count);
	struct strbuf name = {0};

	for (first = count; first > 0; first--) {
		size_t mark = first > 1 ? utf8_width(style->ellipsis) + arrow : 0;

		strbuf_reset(&name);
		put_link(&name, &links[first - 1], SIZE_MAX, style);
		used += utf8_width(strbuf_text(&name)) + (first < count ? arrow : 0);
		if (first < count && used + mark > width)
			break;
	}
	strbuf_free(&name);
	if (first)
		strbuf_printf(buffer, "%s%s", style->ellipsis, style->arrow);
	used = first + 1 == count ? utf8_width(strbuf_text(buffer)) : 0;
	for (size_t i = first; i < count; i++) {
		strbuf_puts(buffer, i > first ? style->arrow : "");
		put_link(buffer, &links[i], width > used ? width - used : 1, style);
	}
	free_links(links, count);
}
