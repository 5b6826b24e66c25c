/* SPDX-License-Identifier: MIT */
/* Shortens long names so that they can still be told apart. */
#pragma once

#include "common/base/text.h"

#include <stdbool.h>

struct name_pool; /* analyzer/names/name_pool.h */

/* The texts for an omission and between caller and callee. names: the names to keep
 * apart, or NULL. */
struct shorten_style {
	const char *ellipsis; /* one column, or more */
	const char *arrow;    /* with its spaces */
	const char *error;    /* between a number and its error, spaces included */
	struct name_pool *names;
};

extern const struct shorten_style shorten_utf8;
extern const struct shorten_style shorten_ascii;

/* Appends a sentence: "60.0ms +-8%" has the style's sign. */
void shorten_signs(struct strbuf *buffer, const char *text,
		   const struct shorten_style *style);
/* Appends a function's name in at most width columns: name_pool_shorten(). */
void shorten_name(struct strbuf *buffer, const char *name, size_t width,
		  const struct shorten_style *style);
/* Appends the middle-cut text. */
void shorten_middle(struct strbuf *buffer, const char *text, size_t width,
		    const struct shorten_style *style);
/* Appends text cut at its end. */
void shorten_end(struct strbuf *buffer, const char *text, size_t width,
		 const struct shorten_style *style);
/* Appends file:line, leading directories left out as needed; line 0: the file alone. */
void shorten_location(struct strbuf *buffer, const char *file, unsigned line,
		      size_t width, const struct shorten_style *style);

/*
 * Appends a chain (names ended by TABLE_CHAIN_END) as "a -> b -> c" in at most lines
 * lines of width columns, broken with newlines before an arrow. The first name and as
 * many of the last ones as fit stay, the rest becomes "(N more)"; repetitions of one
 * name become "name x3". lines 0: no limit.
 */
void shorten_chain(struct strbuf *buffer, const char *chain, size_t width, size_t lines,
		   const struct shorten_style *style);

/* Appends the end of a chain in one line: as many of the last names as fit, the ellipsis
 * in place of the others, and the last in any case. */
void shorten_chain_end(struct strbuf *buffer, const char *chain, size_t width,
		       const struct shorten_style *style);
