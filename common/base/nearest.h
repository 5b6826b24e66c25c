/* SPDX-License-Identifier: MIT */
/* "did you mean": how far two words are apart. */
#pragma once

#include <stddef.h>

/* Insertions, deletions, changes and swaps of neighbours that turn a into b, ignoring
 * case; words longer than 63 bytes are compared by their start. */
unsigned nearest_distance(const char *a, const char *b);

/* The word of words nearest to wanted when it is near enough to be a typing mistake,
 * else NULL. */
const char *nearest_word(const char *wanted, const char *const *words, size_t count);
