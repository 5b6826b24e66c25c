/* SPDX-License-Identifier: MIT */
/*
 * Sums by up to three numbers, over rows in any order. GROUP BY sorts a row for each
 * path and thread, which takes twice as long as reading it. Must not know what is added
 * up.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/map.h"

struct sum {
	int64_t key[3];
	int64_t value;
};

/* Zeroed: no sums. They are in order of creation. */
struct sums {
	struct map numbers;
	struct sum *all;
	size_t count;
};

/* The sum of this key, 0 if it is new; valid until the next call. is_new may be NULL. */
int64_t *sums_of(struct sums *sums, int64_t a, int64_t b, int64_t c, bool *is_new);

/* Adds a value; numbers of a file may overflow, see quantity_add(). */
void sums_add(struct sums *sums, int64_t a, int64_t b, int64_t c, int64_t value);

/* Frees the memory and clears the sums. */
void sums_done(struct sums *sums);
