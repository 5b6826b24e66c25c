/* SPDX-License-Identifier: MIT */
/* Stacks by their innermost frames, in a table of the lane with two places for each. */
#include "shim/stacks/kept.h"

#include "shim/code/code.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/patch/modes.h"

/* Many stacks have the innermost function and its depth in common: that is an allocator
 * of the program's own. */
#define TELLING_FRAMES 8

static uint32_t place_of(const struct lane_context *context, uint32_t base,
			 uint64_t call_site, const struct stack_caller *caller)
{
	struct stack_frame frame = {.return_address = caller->return_address,
				    .stack_pointer = (uintptr_t)(caller + 1),
				    .frame_pointer = caller->frame_pointer};
	uintptr_t low = paused_stack_low(context), high = low + context->stack_size;
	uint64_t hash = base + frame.stack_pointer;
	int is_on_it = low && frame.stack_pointer - low < context->stack_size;

	for (int i = 0; is_on_it && i < TELLING_FRAMES; i++) {
		hash = (hash ^ frame.return_address) * 0x9e3779b97f4a7c15ull;
		if (!walk_step_by(&frame, rules_of(frame.return_address), high) ||
		    frame.return_address == call_site)
			break;
	}
	return (uint32_t)(hash >> 55) * 2;
}

_Static_assert(LANE_KEPT == 2u << 9, "place_of() shifts by 55");

/* Nothing is read outside of the stack in use. */
static int is_in_use(const struct lane_context *context, uintptr_t from, uint32_t offset)
{
	uintptr_t low = paused_stack_low(context);

	return low && from - low < context->stack_size &&
	       offset < context->stack_size - (from - low);
}

static int has_words(const struct lane_kept_table *table, const struct lane_kept *kept)
{
	return table->words_end - kept->first_word <= LANE_KEPT_WORDS;
}

/* A handler may put another one in its place meanwhile, whose node is another, or over
 * its words. */
static uint32_t node_if_same(const struct lane_context *context,
			     const struct lane_kept *kept, uint32_t base,
			     uint64_t call_site, const struct stack_caller *caller)
{
	const struct lane_kept_table *table = context->kept;
	const struct lane_kept_word *words =
		&table->words[kept->first_word % LANE_KEPT_WORDS];
	uintptr_t from = (uintptr_t)(caller + 1);
	uint32_t node = kept->node, count = kept->count;

	if (!node || !count || kept->return_address != caller->return_address ||
	    kept->stack_pointer != from || kept->base != base ||
	    kept->call_site != call_site || kept->modes_version != modes_version ||
	    kept->unload_count != process->unload_count ||
	    ((kept->frame_pointer ^ caller->frame_pointer) & kept->frame_pointer_mask) ||
	    !has_words(table, kept) || !is_in_use(context, from, words[count - 1].offset))
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		if (*(const uint64_t *)(from + words[i].offset) != words[i].value)
			return 0;
	}
	__asm__ volatile("" : : : "memory");
	return kept->node == node && has_words(table, kept) ? node : 0;
}

/* This stack comes next after the one before it. */
static void follow(struct lane_context *context, uint32_t place)
{
	context->kept->stacks[context->kept_latest].next = place;
	context->kept_latest = place;
}

/* First the stack that followed the latest one the last time: programs go in loops, and
 * to find the place takes longer than to compare. */
uint32_t kept_find(struct lane_context *context, uint32_t base, uint64_t call_site,
		   const struct stack_caller *caller)
{
	const struct lane_kept *kept;
	uint32_t place, node;

	if (!context->kept)
		return 0;
	kept = context->kept->stacks;
	place = kept[context->kept_latest].next;
	node = node_if_same(context, &kept[place], base, call_site, caller);
	if (likely(node)) {
		context->kept_latest = place;
		return node;
	}
	place = place_of(context, base, call_site, caller);
	node = node_if_same(context, &kept[place], base, call_site, caller);
	if (!node)
		node = node_if_same(context, &kept[++place], base, call_site, caller);
	if (node) {
		follow(context, place);
		return node;
	}
	context->kept_missed = (struct lane_kept_missed){caller, place - 1};
	return 0;
}

int kept_is_missed(struct lane_context *context, const struct stack_caller *caller)
{
	int is_missed = context->kept_missed.caller == caller;

	context->kept_missed.caller = NULL;
	return is_missed;
}

static int holds(const struct lane_kept_table *table, const struct lane_kept *kept)
{
	return kept->node && has_words(table, kept) &&
	       kept->modes_version == modes_version &&
	       kept->unload_count == process->unload_count;
}

/* Of two places that are taken one by turns: those of two stacks come to rest. Where a
 * handler has looked for another one meanwhile, the place is that one's, and this stack
 * is not found there. */
struct kept_words kept_begin(struct lane_context *context, uint32_t base,
			     uint64_t call_site, const struct stack_caller *caller,
			     uint32_t word_limit)
{
	uint32_t serial = ++context->kept_serial;
	struct lane_kept_table *table;
	struct lane_kept *kept;

	if (!context->kept && serial > LANE_KEPT_LEAST && process_may_grow())
		context->kept = process_map(sizeof(*table), 1);
	table = context->kept;
	if (!table)
		return (struct kept_words){.context = context};
	kept = &table->stacks[context->kept_missed.place];
	if (holds(table, kept) && (!holds(table, kept + 1) || serial % 2))
		kept++;
	kept->node = 0;
	__asm__ volatile("" : : : "memory");
	kept->return_address = caller->return_address;
	kept->call_site = call_site;
	kept->stack_pointer = (uintptr_t)(caller + 1);
	kept->frame_pointer = caller->frame_pointer;
	kept->frame_pointer_mask = ~0ull;
	kept->is_truncated = 0;
	kept->base = base;
	kept->modes_version = modes_version;
	kept->unload_count = process->unload_count;
	kept->count = 0;
	kept->first_word = table->words_end;
	if (kept->first_word % LANE_KEPT_WORDS + word_limit > LANE_KEPT_WORDS)
		kept->first_word += LANE_KEPT_WORDS - kept->first_word % LANE_KEPT_WORDS;
	table->words_end = kept->first_word + word_limit;
	return (struct kept_words){context, kept, serial, word_limit, 1};
}

void kept_add(struct kept_words *words, uintptr_t address, uint64_t value)
{
	struct lane_kept *kept = words->kept;
	uint64_t offset;

	if (!kept)
		return;
	offset = address - kept->stack_pointer;
	words->fits &= kept->count < words->limit && offset <= UINT32_MAX;
	if (words->fits)
		words->context->kept
			->words[(kept->first_word + kept->count++) % LANE_KEPT_WORDS] =
			(struct lane_kept_word){value, (uint32_t)offset};
}

void kept_end(const struct kept_words *words, uint32_t node)
{
	struct lane_kept_table *table = words->context->kept;
	struct lane_kept *kept = words->kept;

	__asm__ volatile("" : : : "memory");
	if (!kept)
		return;
	if (!words->fits || words->context->kept_serial != words->serial) {
		kept->node = 0;
		return;
	}
	kept->node = node;
	table->words_end = kept->first_word + kept->count; /* what it did not take */
	follow(words->context, (uint32_t)(kept - table->stacks));
}

/* What return addresses say, in a direct-mapped table of the lane. */

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
