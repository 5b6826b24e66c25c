/* SPDX-License-Identifier: MIT */
/*
 * Constructors and destructors are up to three functions each, which call each other for
 * one object: for delete, for whole objects, for parts of others. In the merged tree they
 * are one (place.c), and a call is one object. Must not be asked before all nodes of the
 * lane are placed.
 */
#pragma once

#include <stdint.h>

#include "collector/merge/place.h"

/* What a lane has of one variant in nodes. */
struct variant_count {
	uint32_t function;
	enum demangle_variant variant;
	uint64_t entry_count;
	uint64_t nested_count; /* of them, for the object of the variant that called it */
	uint64_t caller_count; /* entries of other variants that it made for its object */
};

struct variant_list {
	struct variant_count *all; /* owned: variants_done() */
	uint32_t count;
	struct map map; /* of function and variant to an index in all */
};

/* Of a lane whose nodes are placed. */
void variants_find(struct lane_walk *walk, struct variant_list *ret);
/* NULL: the lane has no node of it. */
const struct variant_count *variants_at(const struct variant_list *list,
					uint32_t function, enum demangle_variant variant);
void variants_done(struct variant_list *list);
