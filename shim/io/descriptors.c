/* SPDX-License-Identifier: MIT */
/* The table of descriptors: pieces that are mapped when they are needed. */
#include "shim/io/descriptors.h"

#include "shim/core/process.h"
#include "shim/lane/lane.h"

#define PIECE_COUNT 64u
#define PIECE_ENTRIES 1024u

/* Of memory that fork wipes: a child knows nothing of its descriptors, and has room. */
static struct descriptor *pieces[PIECE_COUNT];

static struct descriptor *piece_of(uint32_t number)
{
	/* acquire: pairs with the release in make_piece() */
	return __atomic_load_n(&pieces[number / PIECE_ENTRIES], __ATOMIC_ACQUIRE);
}

static cold struct descriptor *make_piece(uint32_t number)
{
	uint64_t size = PIECE_ENTRIES * sizeof(struct descriptor);
	struct descriptor *made = process_map(size, 1), *there = NULL;

	if (!made)
		return NULL;
	/* release: the memory is there */
	if (__atomic_compare_exchange_n(&pieces[number / PIECE_ENTRIES], &there, made, 0,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		process_count(SEGMENT_COUNTER_TOOL_BYTES, size);
		return made;
	}
	process_unmap(made, size);
	return there;
}

on_short_calls struct descriptor *descriptors_at(int descriptor)
{
	uint32_t number = (uint32_t)descriptor;
	struct descriptor *piece;

	if (number >= PIECE_COUNT * PIECE_ENTRIES)
		return NULL;
	piece = piece_of(number);
	if (unlikely(!piece))
		piece = make_piece(number);
	return piece ? &piece[number % PIECE_ENTRIES] : NULL;
}

on_short_calls struct descriptor *descriptors_known(int descriptor)
{
	uint32_t number = (uint32_t)descriptor;
	struct descriptor *piece;

	if (number >= PIECE_COUNT * PIECE_ENTRIES)
		return NULL;
	piece = piece_of(number);
	return piece ? &piece[number % PIECE_ENTRIES] : NULL;
}

static int is_another_process(void)
{
	const struct lane_context *context = lane_self;

	return context && context->is_vforking;
}

on_short_calls void descriptors_forget(int descriptor)
{
	struct descriptor *known = descriptors_known(descriptor);

	if (known && !is_another_process())
		*known = (struct descriptor){0};
}

void descriptors_forget_range(uint32_t first, uint32_t last)
{
	if (last >= PIECE_COUNT * PIECE_ENTRIES)
		last = PIECE_COUNT * PIECE_ENTRIES - 1;
	for (uint32_t i = first; i <= last; i++) {
		if (piece_of(i))
			descriptors_forget((int)i);
		else
			i |= PIECE_ENTRIES - 1;
	}
}
