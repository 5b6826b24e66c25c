/* SPDX-License-Identifier: MIT */
/* What people read a run's functions as. Must not change what identifies them. */
#pragma once

#include <stdint.h>

#include "collector/merge/merge.h"
#include "common/names/name_set.h"

/* own: by number of the function; without a name for what is not one of a module:
 * regions, hints, calls of libc. */
struct store_names {
	const struct merge *merge;
	struct named *own;
};

/* Of the functions that have rows (not 0) or were recorded with less than frames. The
 * merge is borrowed until store_names_done(). */
void store_names_choose(struct store_names *ret, const struct merge *merge,
			const int64_t *rows);
void store_names_done(struct store_names *names);

/* Borrowed. */
const char *store_names_at(const struct store_names *names, size_t function);
