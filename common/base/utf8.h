/* SPDX-License-Identifier: MIT */
/*
 * UTF-8 text of unknown origin: measure, clean. Must not depend on the locale:
 * the same file gives the same columns anywhere.
 */
#pragma once

#include "common/base/strbuf.h"

#include <stddef.h>

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
