/* SPDX-License-Identifier: MIT */
/*
 * The table of the segment format's arrays, and functions for all of them.
 */
#include "common/arrays.h"

#include <errno.h>
#include <stddef.h>

#include "common/attributes.h"
#include "common/libc/calls.h"
#include "common/segment_history.h"
#include "common/segment_names.h"
#include "common/segment_recording.h"
#include "common/segment_samples.h"
#include "common/segment_series.h"
#include "common/segment_slow.h"

#define HEADER_ALIGN 64u
#define PAGE_BYTES 4096u
#define UNLIMITED UINT32_MAX

/* A slot's first array begins on the last page of its header, and the first frames fill
 * that page, so most lanes need no other page for them. */
#define LANE_HEADER_BYTES                                                                \
	((sizeof(struct segment_lane) + HEADER_ALIGN - 1) & ~(HEADER_ALIGN - 1ul))
#define FIRST_FRAMES ((PAGE_BYTES - LANE_HEADER_BYTES) / sizeof(struct segment_frame) - 1)

/* In the order of their places in a slot. For the usual slot of 256 MiB: 262,144
 * functions that have been counted, 65,536 former processes, 1.6 M sites; 1.4 M frames,
 * 1.2 M nodes, 50,000 functions, 65,536 fibers, 393,000 waits, 8,192 locks and 16,384
 * waits for them, 8,192 stalls, 4,096 spans, 131,072 samples, 256 series; 1.6 M changes
 * of sites, 2 M of survivors, 6.3 M of paths. */
#define ROW(kind, header, member, type, ...)                                             \
	{                                                                                \
		SEGMENT_SLOT_##kind, offsetof(struct header, member),                    \
			sizeof(struct type), __VA_ARGS__                                 \
	}

const struct array_kind array_kinds[ARRAY_COUNT] = {
	/* limit, share, least, most, skip */
	[ARRAY_MODULES] = ROW(PROCESS, segment_process, modules, segment_module,
			      SEGMENT_MODULE_LIMIT, ARRAY_REST, 1, 1, 0),
	[ARRAY_THREADS] = ROW(PROCESS, segment_process, threads, segment_thread,
			      SEGMENT_THREAD_LIMIT, ARRAY_REST, 64, 64, 0),
	[ARRAY_MODES] = ROW(PROCESS, segment_process, modes, segment_mode,
			    SEGMENT_MODE_LIMIT, 4, 64, 512, 0),
	[ARRAY_TENANTS] = ROW(PROCESS, segment_process, tenants, segment_tenant,
			      UNLIMITED, 2, 32, 1024, 0),
	[ARRAY_TARGETS] = ROW(PROCESS, segment_process, targets, segment_target,
			      SEGMENT_TARGET_LIMIT, 1, 16, 64, 0),
	[ARRAY_SITES] = ROW(PROCESS, segment_process, sites, segment_site, UNLIMITED,
			    ARRAY_REST, 32, 512, 0),
	[ARRAY_LEFT] = ROW(PROCESS, segment_process, left, segment_left, UNLIMITED,
			   ARRAY_PARALLEL, 256, 256, 0),
	/* the frame before the first one matches no exit */
	[ARRAY_FRAMES] = ROW(LANE, segment_lane, frames, segment_frame, UNLIMITED, 13,
			     FIRST_FRAMES, UNLIMITED, 1),
	[ARRAY_NODES] =
		ROW(LANE, segment_lane, nodes, segment_node, UNLIMITED, 19, 64, 4096, 0),
	[ARRAY_CALL_SITES] = ROW(LANE, segment_lane, call_sites, segment_call_site,
				 UNLIMITED, ARRAY_PARALLEL, 512, 4096, 0),
	[ARRAY_FUNCTIONS] = ROW(LANE, segment_lane, functions, segment_function,
				UNLIMITED, 16, 12, 128, 0),
	[ARRAY_FIBERS] = ROW(LANE, segment_lane, fibers, segment_fiber,
			     SEGMENT_FIBER_LIMIT, 1, 64, 64, 0),
	[ARRAY_COUNTS] = ROW(LANE, segment_lane, counts, segment_count,
			     SEGMENT_MODE_LIMIT, 1, 512, 512, 0),
	[ARRAY_WAITS] =
		ROW(LANE, segment_lane, waits, segment_wait, UNLIMITED, 3, 32, 512, 0),
	[ARRAY_LOCKS] = ROW(LANE, segment_lane, locks, segment_lock, SEGMENT_LOCK_LIMIT,
			    1, 32, 512, 0),
	[ARRAY_LOCK_TIMES] = ROW(LANE, segment_lane, lock_times, segment_function,
				 SEGMENT_LOCK_LIMIT, 1, 3, 48, 0),
	[ARRAY_LOCK_WAITS] = ROW(LANE, segment_lane, lock_waits, segment_lock_wait,
				 SEGMENT_LOCK_WAIT_LIMIT, 1, 64, 512, 0),
	[ARRAY_STALLS] = ROW(LANE, segment_lane, stalls, segment_stall,
			     SEGMENT_STALL_LIMIT, 1, 64, 512, 0),
	[ARRAY_TRANSFERS] = ROW(LANE, segment_lane, transfers, segment_transfer,
				UNLIMITED, 1, 28, 512, 0),
	[ARRAY_SPANS] = ROW(LANE, segment_lane, spans, segment_span, SEGMENT_SPAN_LIMIT,
			    1, 64, 512, 0),
	[ARRAY_STUDIES] = ROW(LANE, segment_lane, studies, segment_study,
			      SEGMENT_STUDIES_MOST, 1, 8, 8, 0),
	[ARRAY_CASES] = ROW(LANE, segment_lane, cases, segment_case, SEGMENT_CASES_MOST,
			    1, 16, 16, 0),
	[ARRAY_SAMPLES] = ROW(LANE, segment_lane, samples, segment_sample,
			      SEGMENT_SAMPLE_LIMIT, 1, 128, 1024, 0),
	[ARRAY_SERIES] = ROW(LANE, segment_lane, series, segment_series,
			     SEGMENT_SERIES_LIMIT, ARRAY_REST, 1, 1, 0),
	[ARRAY_SNAPSHOTS] = ROW(HISTORY, segment_history, snapshots, segment_snapshot,
				SEGMENT_SNAPSHOT_LIMIT, ARRAY_REST, 32, 32, 0),
	[ARRAY_SITE_PASTS] = ROW(HISTORY, segment_history, site_pasts, segment_site_past,
				 UNLIMITED, 16, 1024, 1024, 0),
	[ARRAY_FREE_AGES] = ROW(HISTORY, segment_history, free_ages, segment_free_age,
				UNLIMITED, 16, 1024, 1024, 0),
	[ARRAY_PATH_PASTS] = ROW(HISTORY, segment_history, path_pasts, segment_path_past,
				 UNLIMITED, 24, 4096, 4096, 0),
	[ARRAY_NAMES] = ROW(NAMES, segment_names, names, segment_name, SEGMENT_NAME_LIMIT,
			    64, 32, 32, 0),
};

#undef ROW

static uint64_t header_bytes(enum segment_slot_kind kind)
{
	switch (kind) {
	case SEGMENT_SLOT_PROCESS:
		return sizeof(struct segment_process);
	case SEGMENT_SLOT_LANE:
		return sizeof(struct segment_lane);
	case SEGMENT_SLOT_NAMES:
		return sizeof(struct segment_names);
	default:
		return sizeof(struct segment_history);
	}
}

static uint64_t first_offset(enum segment_slot_kind kind)
{
	return (header_bytes(kind) + HEADER_ALIGN - 1) & ~(HEADER_ALIGN - 1ull);
}

static uint32_t capacity_of(enum array_number number, uint64_t slot_size, uint64_t room)
{
	const struct array_kind *kind = &array_kinds[number];
	uint64_t bytes = slot_size / 64 * kind->share, count, entry = kind->entry_bytes;

	if (kind->share == ARRAY_REST) {
		bytes = room;
		if (number + 1 < ARRAY_COUNT && kind[1].share == ARRAY_PARALLEL)
			entry += kind[1].entry_bytes;
		bytes -= bytes > PAGE_BYTES ? PAGE_BYTES : bytes;
	}
	count = (bytes < room ? bytes : room) / entry;
	count -= count > kind->skip ? kind->skip : count;
	return count < kind->limit ? (uint32_t)count : kind->limit;
}

/* Computes an array's place and capacity. *offset: end of what precedes it; *capacity: of
 * the array before it. Both are updated for the next array. */
static void place(enum array_number number, uint64_t slot_size, uint64_t *offset,
		  uint32_t *capacity, uint64_t *ret_offset)
{
	const struct array_kind *kind = &array_kinds[number];

	if (kind->share != ARRAY_PARALLEL)
		*capacity = capacity_of(number, slot_size, slot_size - *offset);
	*ret_offset = *offset + (uint64_t)kind->skip * kind->entry_bytes;
	*offset = *ret_offset + (uint64_t)*capacity * kind->entry_bytes;
	*offset = (*offset + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1ull);
}

void arrays_lay_out(enum segment_slot_kind kind, void *header, uint64_t slot_size)
{
	uint64_t offset = first_offset(kind);
	uint32_t capacity = 0;

	for (uint32_t i = 0; i < ARRAY_COUNT; i++) {
		struct segment_array *array = arrays_in(header, i);

		if (array_kinds[i].slot_kind != kind)
			continue;
		place(i, slot_size, &offset, &capacity, &array->offset);
		array->capacity = capacity;
	}
}

static races_by_design uint32_t read_number(const uint32_t *number)
{
	return __atomic_load_n(number, __ATOMIC_RELAXED);
}

static races_by_design uint64_t read_word(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

int arrays_are_laid_out(enum segment_slot_kind kind, const void *header,
			uint64_t slot_size)
{
	uint64_t offset = first_offset(kind), own;
	uint32_t capacity = 0;

	for (uint32_t i = 0; i < ARRAY_COUNT; i++) {
		const struct segment_array *array =
			(const void *)((const char *)header + array_kinds[i].at);

		if (array_kinds[i].slot_kind != kind)
			continue;
		place(i, slot_size, &offset, &capacity, &own);
		if (read_word(&array->offset) != own ||
		    read_number(&array->capacity) != capacity ||
		    read_number(&array->first) > capacity ||
		    read_number(&array->committed) > capacity ||
		    (read_number(&array->count) > read_number(&array->first) &&
		     read_number(&array->count) > read_number(&array->committed)))
			return 0; /* entries before the first have no pages */
	}
	return 1;
}

int arrays_grow(enum array_number number, const struct segment_array *at,
		uint32_t *committed, uint32_t end, arrays_commit *commit, void *data)
{
	const struct array_kind *kind = &array_kinds[number];
	/* acquire: pairs with the release below */
	uint32_t have = __atomic_load_n(committed, __ATOMIC_ACQUIRE), more;
	int result;

	if (end <= have)
		return 0;
	if (end > at->capacity)
		return -ENOSPC;
	if (have < at->first)
		have = at->first;
	more = have - at->first;
	if (more < kind->least)
		more = kind->least;
	if (more > kind->most)
		more = kind->most;
	if (end > have && more < end - have)
		more = end - have;
	if (more > at->capacity - have)
		more = at->capacity - have;
	result = commit(data, at->offset + (uint64_t)have * kind->entry_bytes,
			(uint64_t)more * kind->entry_bytes);
	if (result == 0 && __atomic_load_n(committed, __ATOMIC_RELAXED) < have + more)
		/* release: whoever sees the number may touch the pages */
		__atomic_store_n(committed, have + more, __ATOMIC_RELEASE);
	return result;
}

static uint32_t lesser(uint64_t a, uint64_t b)
{
	return (uint32_t)(a < b ? a : b);
}

int arrays_read(const void *header, enum array_number number, uint64_t size,
		struct segment_array *ret)
{
	const struct array_kind *kind = &array_kinds[number];
	const struct segment_array *from =
		(const void *)((const char *)header + kind->at);
	/* acquire: the entries below the count are complete */
	uint32_t count = __atomic_load_n(&from->count, __ATOMIC_ACQUIRE);
	uint64_t offset = read_word(&from->offset), room = 0;
	uint32_t capacity = read_number(&from->capacity);

	if (offset >= header_bytes(kind->slot_kind) && offset <= size && offset % 8 == 0)
		room = (size - offset) / kind->entry_bytes;
	else
		offset = 0; /* no entries: even the address may be invalid */
	*ret = (struct segment_array){.offset = offset};
	ret->capacity = lesser(lesser(capacity, kind->limit), room);
	ret->first = lesser(read_number(&from->first), ret->capacity);
	ret->committed = lesser(read_number(&from->committed), ret->capacity);
	ret->count = lesser(count, ret->capacity);
	if (ret->count < ret->first)
		ret->count = ret->first;
	return capacity <= room && (room || !capacity) ? 0 : -EINVAL;
}
