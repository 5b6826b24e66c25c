/* SPDX-License-Identifier: MIT */
/*
 * Text that somebody else chose (names, labels, paths, settings), made fit to be shown:
 * in a terminal it must neither steer, nor hide, nor turn the reading direction.
 * Everything that is echoed goes through here. Runs on: any thread of any program of the
 * project, the shim's constructor too. Must not allocate, or depend on the locale.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PLAIN_TEXT_REPLACEMENT 0xfffd

/* Decodes the UTF-8 character at text (size > 0 bytes) and returns its bytes, at least 1.
 * A byte that is not UTF-8 counts as one U+FFFD. */
size_t plain_text_next(const char *text, size_t size, uint32_t *ret_character);

/* Nonzero for characters that have no picture of their own: controls (C0, DEL, C1),
 * format characters (bidirectional marks and overrides, zero-width ones, tags), line and
 * paragraph separators, and the rest of what Unicode lets a display ignore. */
int plain_text_is_hidden(uint32_t character);

/* Copies text as one line of valid UTF-8: hidden characters become '?', bytes that are
 * not UTF-8 U+FFFD; what has no room is replaced by "...". size >= 4. Returns ret. */
char *plain_text_copy(char *ret, size_t size, const char *text);
