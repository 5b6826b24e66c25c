/* SPDX-License-Identifier: MIT */
/*
 * The growing arrays of the segment format: a table that describes them, and what all
 * have in common: lay out, reserve, publish, read. Runs on: any thread and context,
 * inside and outside the traced program. Must not call libc, nor read a number of a
 * mapping twice or use it unchecked: others may change it, and may be hostile.
 *
 * A new array is a struct segment_array in a slot's header and a row of the table in
 * arrays.c: layout, growth, readers' checks and the trimming of dead processes' slots
 * follow.
 */
#pragma once

#include <stdint.h>

#include "common/segment.h"

enum array_number {
	ARRAY_MODULES,
	ARRAY_THREADS,
	ARRAY_MODES,
	ARRAY_TENANTS,
	ARRAY_TARGETS,
	ARRAY_SITES,
	ARRAY_LEFT,
	ARRAY_FRAMES,
	ARRAY_NODES,
	ARRAY_CALL_SITES,
	ARRAY_FUNCTIONS,
	ARRAY_FIBERS,
	ARRAY_COUNTS,
	ARRAY_WAITS,
	ARRAY_LOCKS,
	ARRAY_LOCK_TIMES,
	ARRAY_LOCK_WAITS,
	ARRAY_STALLS,
	ARRAY_TRANSFERS,
	ARRAY_SPANS,
	ARRAY_STUDIES,
	ARRAY_CASES,
	ARRAY_SAMPLES,
	ARRAY_SERIES,
	ARRAY_SNAPSHOTS,
	ARRAY_SITE_PASTS,
	ARRAY_FREE_AGES,
	ARRAY_PATH_PASTS,
	ARRAY_NAMES,
	ARRAY_COUNT
};

struct array_kind {
	enum segment_slot_kind slot_kind; /* the slot whose header has it */
	uint32_t at;			  /* of the descriptor in that header */
	uint32_t entry_bytes;
	uint32_t limit; /* entries at most */
	uint32_t share; /* of the slot, in 64ths at most; or one of the two below */
	/* growth doubles the reserved entries, by no fewer and no more than these */
	uint32_t least, most;
	uint32_t skip; /* zero entries that lie before the first */
};

#define ARRAY_REST 64u	   /* the rest of the slot, shared with the parallel array */
#define ARRAY_PARALLEL 65u /* one entry for each of the array before it */

extern const struct array_kind array_kinds[ARRAY_COUNT];

/* Reserves the pages of [offset, offset + size) of a slot. 0, or -errno. */
typedef int arrays_commit(void *data, uint64_t offset, uint64_t size);

/* The descriptor in a slot's header. */
static inline struct segment_array *arrays_in(void *header, enum array_number number)
{
	return (struct segment_array *)((char *)header + array_kinds[number].at);
}

/* Entry 0 of an array in a slot; trusts the descriptor. */
static inline void *arrays_entries(const void *slot, const struct segment_array *array)
{
	return (char *)(uintptr_t)slot + array->offset;
}

/* Describes the arrays of a slot of this kind, in a header that is zero. */
void arrays_lay_out(enum segment_slot_kind kind, void *header, uint64_t slot_size);

/* Does a header describe its arrays as arrays_lay_out() does, with possible counts? */
int arrays_are_laid_out(enum segment_slot_kind kind, const void *header,
			uint64_t slot_size);

/* Reserves pages for entries [0, end), and some more. at: the array's place and capacity;
 * committed: the shared number, raised with release. 0, -ENOSPC: the array cannot be that
 * long, or commit's error. One caller at a time, except handlers that interrupt it. */
int arrays_grow(enum array_number number, const struct segment_array *at,
		uint32_t *committed, uint32_t end, arrays_commit *commit, void *data);

/* Publishes: the entries below count are complete. */
static inline void arrays_publish(struct segment_array *array, uint32_t count)
{
	/* release: pairs with the acquire in arrays_read() and arrays_count() */
	__atomic_store_n(&array->count, count, __ATOMIC_RELEASE);
}

/* The current count, for callers who trust the capacity. */
static inline uint32_t arrays_count(const struct segment_array *array)
{
	uint32_t count = __atomic_load_n(&array->count, __ATOMIC_ACQUIRE);

	return count < array->capacity ? count : array->capacity;
}

/* Checks a descriptor that others can write. All readers use this; it reads each number
 * once. In ret, first <= count <= capacity, committed <= capacity, and entries below
 * capacity lie in [header, header + size), behind the header. 0, or -EINVAL: offset or
 * capacity were impossible, and ret says less. */
int arrays_read(const void *header, enum array_number number, uint64_t size,
		struct segment_array *ret);
