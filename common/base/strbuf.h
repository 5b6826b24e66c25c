/* SPDX-License-Identifier: MIT */
/*
 * A growing string. Zeroed memory is a valid empty one. Must not be read through .data
 * before the first strbuf_add*(): use strbuf_text().
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

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
