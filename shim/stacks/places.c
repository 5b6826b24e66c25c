/* SPDX-License-Identifier: MIT */
/* What return addresses say, in a direct-mapped table of the lane. */
#include "shim/stacks/places.h"

#include "shim/core/process.h"
#include "shim/code/code.h"
#include "shim/patch/modes.h"

static uint64_t level_at(const struct lane_place *place, const struct code *code)
{
	uint64_t first = place->function + 1;

	/* which copies there are at that very place, the collector tells */
	if (place->has_copies)
		return place->return_address;
	if (modes_find(place->function))
		return first;
	/* it may be a part that the compiler split from a counted function */
	return modes_are_in(code->object.low, code->object.high) ? first : 0;
}

static void learn(struct lane_place *place)
{
	struct extent extent;
	struct code code;

	place->function = place->level = 0;
	place->has_copies = 0;
	if (code_find(place->return_address - 1, &code) < 0)
		return;
	if (code_function(&code, place->return_address - 1, &extent) < 0) {
		place->level = place->return_address;
		return;
	}
	place->function = extent.low;
	place->has_copies = modes_has_copies_in(extent.low);
	place->level = level_at(place, &code);
}

struct lane_place places_of(struct lane_context *context, uint64_t return_address)
{
	struct lane_place *known =
		&context->levels
			 .places[(return_address ^ return_address >> 7) % LANE_PLACES];
	struct lane_place place = *known;

	if (place.return_address == return_address &&
	    place.modes_version == modes_version &&
	    place.unload_count == process->unload_count)
		return place;
	place.return_address = return_address;
	place.modes_version = modes_version;
	place.unload_count = process->unload_count;
	learn(&place);
	/* a handler finds it whole, or does not find it */
	known->return_address = 0;
	__asm__ volatile("" : : : "memory");
	known->function = place.function;
	known->level = place.level;
	known->modes_version = place.modes_version;
	known->unload_count = place.unload_count;
	known->has_copies = place.has_copies;
	__asm__ volatile("" : : : "memory");
	known->return_address = return_address;
	return place;
}
