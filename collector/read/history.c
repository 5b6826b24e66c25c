/* SPDX-License-Identifier: MIT */
/*
 * Checks a history's arrays and puts them in order. Must not trust a count or an index in
 * the file.
 */
#include "collector/read/history.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/xalloc.h"

/* Reads an array. Where many threads append, the count may exceed what has pages. */
static void *read_array(const struct segment_reader *reader, uint32_t slot,
			enum array_number number, const struct segment_history *header,
			uint32_t *ret_count)
{
	struct segment_array array;

	arrays_read(header, number, reader->slot_size, &array);
	if (array.count > array.committed)
		array.count = array.committed;
	return segment_reader_array(reader, slot, number, &array, ret_count);
}

static int by_site(const void *a, const void *b)
{
	const struct segment_site_past *left = a, *right = b;

	return ORDER_BY_2(left, right, site, first);
}

/* Drops unfinished entries and those of snapshots that are left out. */
static void drop_site_pasts(struct read_history *history)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < history->site_past_count; i++) {
		const struct segment_site_past *past = &history->site_pasts[i];

		if (past->site && past->first && past->first <= past->last &&
		    past->first <= history->snapshot_count)
			history->site_pasts[kept++] = *past;
	}
	history->site_past_count = kept;
	if (kept)
		qsort(history->site_pasts, kept, sizeof(*history->site_pasts), by_site);
}

static int by_node(const void *a, const void *b)
{
	const struct read_path_past *left = a, *right = b;

	return ORDER_BY_3(left, right, lane_slot, node, snapshot);
}

/* Adds an entry that extends the one before it. */
static void add_detail(struct read_path_past *past, uint32_t what, uint64_t calls,
		       uint64_t ns)
{
	switch (what) {
	case SEGMENT_PAST_UNWOUND:
		past->unwound_count = calls;
		break;
	case SEGMENT_PAST_READY:
		past->ready_ns = ns;
		break;
	case SEGMENT_PAST_BLOCKED:
		past->blocked_ns = ns;
		break;
	default:
		past->open_ns = ns;
	}
}

/* Unpacks one snapshot's entries. */
static void unpack_paths(struct read_history *history, uint32_t snapshot,
			 const struct segment_path_past *from, uint32_t count)
{
	uint32_t lane_slot = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = from[i].calls_and_node & SEGMENT_PAST_NODE_MASK;
		uint64_t calls = from[i].calls_and_node >> SEGMENT_PAST_NODE_BITS;

		if (!node)
			lane_slot = (uint32_t)calls;
		else if (node < SEGMENT_PAST_NODES)
			history->path_pasts[history->path_past_count++] =
				(struct read_path_past){.lane_slot = lane_slot,
							.node = node,
							.snapshot = snapshot,
							.call_count = calls,
							.total_ticks =
								from[i].total_ticks};
		else if (history->path_past_count)
			add_detail(&history->path_pasts[history->path_past_count - 1],
				   node, calls, from[i].total_ticks);
	}
}

/* Unpacks all snapshots' entries. They are contiguous, so none is unpacked twice. */
static void unpack_all_paths(struct read_history *history,
			     const struct segment_path_past *from, uint32_t count)
{
	uint32_t end = 0;

	history->path_pasts = xcalloc(count, sizeof(*history->path_pasts));
	for (uint32_t i = 0; i < history->snapshot_count; i++) {
		const struct segment_snapshot *snapshot = &history->snapshots[i];

		if (!snapshot->path_count || snapshot->path_first < end ||
		    snapshot->path_first > count ||
		    snapshot->path_count > count - snapshot->path_first)
			continue;
		end = snapshot->path_first + snapshot->path_count;
		unpack_paths(history, i + 1, from + snapshot->path_first,
			     snapshot->path_count);
	}
	qsort(history->path_pasts, history->path_past_count, sizeof(*history->path_pasts),
	      by_node);
}

static void end_labels(struct read_history *history)
{
	for (uint32_t i = 0; i < history->snapshot_count; i++) {
		struct segment_snapshot *snapshot = &history->snapshots[i];

		snapshot->label[sizeof(snapshot->label) - 1] = 0;
	}
}

/* Counts the header's snapshots that exist and are complete. */
static uint32_t count_snapshots(const struct segment_history *header, uint32_t taken,
				uint32_t *ret_incomplete)
{
	uint32_t count =
		header->snapshots.count < taken ? header->snapshots.count : taken;

	*ret_incomplete = 0;
	if (count > SEGMENT_SNAPSHOT_LIMIT)
		count = SEGMENT_SNAPSHOT_LIMIT;
	if (header->incomplete_from && header->incomplete_from <= count) {
		*ret_incomplete = count - (header->incomplete_from - 1);
		count = header->incomplete_from - 1;
	}
	return count;
}

int read_history(const struct segment_reader *reader, uint32_t slot,
		 uint32_t process_slot, uint32_t taken, struct read_history *ret)
{
	auto_free struct segment_path_past *paths = NULL;
	struct segment_history header;
	uint32_t path_count;

	*ret = (struct read_history){.snapshot_count = 0};
	if (slot >= reader->slot_count ||
	    segment_reader_bytes(reader, slot, 0, &header, sizeof(header)) < 0 ||
	    header.magic != SEGMENT_MAGIC_HISTORY || header.process_slot != process_slot)
		return -EINVAL;
	header.snapshots.count = count_snapshots(&header, taken, &ret->incomplete_count);
	ret->snapshots =
		read_array(reader, slot, ARRAY_SNAPSHOTS, &header, &ret->snapshot_count);
	ret->site_pasts = read_array(reader, slot, ARRAY_SITE_PASTS, &header,
				     &ret->site_past_count);
	ret->free_ages =
		read_array(reader, slot, ARRAY_FREE_AGES, &header, &ret->free_age_count);
	paths = read_array(reader, slot, ARRAY_PATH_PASTS, &header, &path_count);
	end_labels(ret);
	drop_site_pasts(ret);
	unpack_all_paths(ret, paths, path_count);
	return 0;
}

void read_history_done(struct read_history *history)
{
	free(history->snapshots);
	free(history->site_pasts);
	free(history->path_pasts);
	free(history->free_ages);
	*history = (struct read_history){.snapshot_count = 0};
}
