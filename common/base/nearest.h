/* SPDX-License-Identifier: MIT */
/* "did you mean": how far two words are apart. */
#pragma once

#include <stddef.h>

/* The number of insertions, deletions, changes and swaps of neighbours that turn a into
 * b, ignoring case. Longer words are compared by their first 63 bytes. */
unsigned nearest_distance(const char *a, const char *b);

/* The word nearest to wanted if near enough to be a typing mistake, else NULL. */
const char *nearest_word(const char *wanted, const char *const *words, size_t count);
