/* SPDX-License-Identifier: MIT */
/*
 * Text: strings that grow, UTF-8, XML.
 *
 * A growing string: zeroed memory is a valid empty one. Must not be read through .data
 * before the first strbuf_add*(): use strbuf_text().
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/xalloc.h"

struct strbuf {
	char *data; /* NUL-terminated, or NULL while nothing was added */
	size_t size;
	size_t capacity;
};

void strbuf_add(struct strbuf *buffer, const char *text, size_t size);
void strbuf_puts(struct strbuf *buffer, const char *text);
void strbuf_putc(struct strbuf *buffer, char c);
void strbuf_repeat(struct strbuf *buffer, char c, size_t count);
/* LEB128: seven bits a byte, lowest first; the eighth bit: more follow. */
void strbuf_put_leb128(struct strbuf *buffer, uint64_t value);
void strbuf_printf(struct strbuf *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The text so far, never NULL; borrowed until the next change. */
const char *strbuf_text(const struct strbuf *buffer);
/* Empties the buffer but keeps its memory. */
void strbuf_reset(struct strbuf *buffer);
void strbuf_truncate(struct strbuf *buffer, size_t size);
void strbuf_free(struct strbuf *buffer);

/*
 * UTF-8 text of unknown origin: measure, clean. Must not depend on the locale:
 * the same file gives the same columns anywhere.
 */

/* Terminal columns: 0 for combining marks, 2 for wide characters, else 1. */
size_t utf8_width(const char *text);

/* Bytes of the longest prefix (suffix) of text that fits into width columns. */
size_t utf8_prefix(const char *text, size_t width);
size_t utf8_suffix(const char *text, size_t width);

/* Appends text as valid UTF-8. Hidden characters, which could control the terminal or
 * mislead the reader, become '?', invalid bytes U+FFFD. */
void utf8_clean(struct strbuf *buffer, const char *text);
/* Appends text as valid UTF-8, keeping everything that is valid. */
void utf8_repair(struct strbuf *buffer, const char *text);

/*
 * Writes text of unknown origin into XML, as text or attribute value. Must not let
 * through what XML 1.0 cannot contain, not even as &#1;.
 */

/* Appends the text, escaped. Control characters become '?'; invalid UTF-8 and the two
 * characters that XML forbids become U+FFFD. */
void xml_escape(struct strbuf *buffer, const char *text);
