/* SPDX-License-Identifier: MIT */
/*
 * Sums by up to three numbers, of rows in any order: to sort a row for each path and
 * thread, as GROUP BY does, takes twice as long as to read it. Must not know what is
 * added up.
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

/* All zero has no sums. Those that there are stand in the order of their coming. */
struct sums {
	struct map numbers;
	struct sum *all;
	size_t count;
};

/* The sum of these numbers, 0 when it is new; valid until the next call. is_new may be
 * NULL. */
int64_t *sums_of(struct sums *sums, int64_t a, int64_t b, int64_t c, bool *is_new);

/* Adds to it; a file may hold any numbers, see quantity_add(). */
void sums_add(struct sums *sums, int64_t a, int64_t b, int64_t c, int64_t value);

/* Gives back the memory; there are no sums afterwards. */
void sums_done(struct sums *sums);
