/* SPDX-License-Identifier: MIT */
/* The table of a lane's fibers, in order of their addresses. */
#include "shim/stacks/fiber_table.h"

#include "shim/core/process.h"
#include "shim/lane/frames.h"

struct fiber *fiber_at(const struct lane_context *context, uint32_t position)
{
	return &context->fibers[context->fiber_order[position]];
}

uint32_t fiber_position(const struct lane_context *context, uintptr_t address)
{
	uint32_t from = 0, to = context->fiber_count;

	while (from < to) {
		uint32_t middle = (from + to) / 2;

		if (fiber_at(context, middle)->high > address)
			to = middle;
		else
			from = middle + 1;
	}
	return from;
}

struct fiber *fiber_search(const struct lane_context *context, uintptr_t address)
{
	uint32_t position = fiber_position(context, address);
	struct fiber *fiber;

	if (position == context->fiber_count)
		return NULL;
	fiber = fiber_at(context, position);
	return fiber_contains(fiber, address) ? fiber : NULL;
}

static void unlink_fiber(struct lane_context *context, const struct fiber *fiber)
{
	uint32_t index = (uint32_t)(fiber - context->fibers), kept = 0;

	for (uint32_t i = 0; i < context->fiber_count; i++) {
		if (context->fiber_order[i] != index)
			context->fiber_order[kept++] = context->fiber_order[i];
	}
	context->fiber_count = kept;
}

static void free_record(struct lane_context *context, struct fiber *fiber)
{
	fiber->owner = NULL;
	fiber->next_free = context->free_fibers;
	context->free_fibers = fiber;
}

void fiber_drop(struct lane_context *context, struct fiber *fiber)
{
	if (fiber->owner == context) /* else its frames live on elsewhere */
		unwind_stack(context, fiber);
	unlink_fiber(context, fiber);
	fiber->shared->depth = 0;
	fiber->shared->in_use = 0;
	frames_give(context, fiber);
	free_record(context, fiber);
}

static int make_table(struct lane_context *context)
{
	const struct segment_lane *lane = context->lane;
	uint64_t size = (uint64_t)lane->fibers.capacity * sizeof(struct fiber);

	if (!context->fiber_order)
		context->fiber_order =
			process_map(lane->fibers.capacity * sizeof(uint32_t), 1);
	if (!context->fibers)
		context->fibers = process_map(size, 1);
	return context->fibers && context->fiber_order;
}

/* A record for a new fiber, its shared part reserved. */
static struct fiber *take_record(struct lane_context *context)
{
	struct segment_lane *lane = context->lane;
	struct segment_fiber *shared = arrays_entries(lane, &lane->fibers);
	struct fiber *fiber = context->free_fibers;
	uint32_t index = lane->fibers.count;

	if (fiber) {
		context->free_fibers = fiber->next_free;
		return fiber;
	}
	if (process_grow(lane, context->slot, ARRAY_FIBERS, index + 1) < 0)
		return NULL;
	fiber = &context->fibers[index];
	fiber->shared = &shared[index];
	fiber->clock = (void *)&shared[index].suspended_ticks;
	fiber->depth = &shared[index].depth;
	/* the entry is zero, that is free */
	arrays_publish(&lane->fibers, index + 1);
	return fiber;
}

struct fiber *fiber_add_locked(struct lane_context *context, struct extent extent,
			       enum fiber_kind kind, uint32_t depth)
{
	struct fiber *fiber = make_table(context) ? take_record(context) : NULL;
	uint32_t position;

	if (!fiber)
		return NULL;
	if (frames_take(context, fiber, depth) < 0) {
		free_record(context, fiber);
		return NULL;
	}
	fiber->low = extent.low;
	fiber->high = extent.high;
	fiber->kind = kind;
	fiber->is_abandoned = 0;
	fiber->current = LANE_ROOT;
	fiber->owner = context;
	*fiber->clock = (struct fiber_clock){0};
	fiber->shared->stack_low = extent.low;
	fiber->shared->stack_high = extent.high;
	fiber->shared->depth = 0;
	fiber->shared->in_use = 1;
	position = fiber_position(context, extent.low);
	for (uint32_t i = context->fiber_count; i > position; i--)
		context->fiber_order[i] = context->fiber_order[i - 1];
	context->fiber_order[position] = (uint32_t)(fiber - context->fibers);
	context->fiber_count++;
	return fiber;
}

struct fiber *fiber_add(struct lane_context *context, struct extent extent,
			enum fiber_kind kind)
{
	struct fiber *fiber;
	uint64_t mask;

	if (!process_lock(&mask))
		return NULL;
	if (kind != FIBER_WINDOW) /* a window's margins may reach into other stacks */
		fiber_forget(context, extent.low, extent.high);
	fiber = fiber_add_locked(context, extent, kind, 0);
	process_unlock(&mask);
	return fiber;
}

void fiber_forget(struct lane_context *context, uintptr_t low, uintptr_t high)
{
	for (struct lane_context *lane = process->lanes; lane; lane = lane->next_lane) {
		uint32_t position = lane->frames ? fiber_position(lane, low) : 0;

		while (lane->frames && position < lane->fiber_count &&
		       fiber_at(lane, position)->low < high) {
			struct fiber *fiber = fiber_at(lane, position);

			if (lane != context || fiber == context->fiber) {
				fiber->is_abandoned = 1;
				position++;
				continue;
			}
			fiber_drop(context, fiber);
		}
	}
}
