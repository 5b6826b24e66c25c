/* SPDX-License-Identifier: MIT */
/*
 * The table of a lane's fibers, in order of their addresses, and what to make of an
 * address. Signals are blocked.
 *
 * UNKNOWN BOUNDS. A stack in a mapping of its own may share it with others: the kernel
 * merges neighbours, programs carve. Such a stack gets a window around the addresses
 * that were seen. An address a small step below the window is more of the same stack, a
 * larger step is another one. So two stacks of less than 32 KiB each that touch and were
 * not declared may be taken for one, and a frame of more than 16 KiB on such a stack may
 * be taken for another stack: the counts stay exact, the nesting does not.
 */
#include "shim/stacks/fiber_table.h"

#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/frames.h"
#include "shim/lane/tree.h"
#include "shim/stacks/bounds.h"

/* The fiber at this position, in order of addresses, and the position of the first one
 * that ends above an address: the table's length when there is none. */
static struct fiber *fiber_at(const struct lane_context *context, uint32_t position)
{
	return &context->fibers[context->fiber_order[position]];
}

static uint32_t fiber_position(const struct lane_context *context, uintptr_t address)
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

/* The fiber around an address, NULL: none. */
static struct fiber *fiber_search(const struct lane_context *context, uintptr_t address)
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

/* Takes a fiber that is not in use out of the table. The process lock is held. */
static void fiber_drop(struct lane_context *context, struct fiber *fiber)
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

/* A new fiber with room for `depth` frames. The process lock is held. */
static struct fiber *fiber_add_locked(struct lane_context *context, struct extent extent,
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
	fiber->shared->depth = 0;
	fiber->shared->in_use = 1;
	position = fiber_position(context, extent.low);
	for (uint32_t i = context->fiber_count; i > position; i--)
		context->fiber_order[i] = context->fiber_order[i - 1];
	context->fiber_order[position] = (uint32_t)(fiber - context->fibers);
	context->fiber_count++;
	return fiber;
}

/* A new fiber, NULL: no room. Of one that is no window, what ran in its extent before is
 * forgotten. */
static struct fiber *fiber_add(struct lane_context *context, struct extent extent,
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

#define WINDOW_MARGIN (8u << 10)
#define WINDOW_STEP (16u << 10)
#define WINDOW_ABOVE (4u << 10)
/* static TLS and what runs before a thread's first event */
#define THREAD_START (256u << 10)

/* Still what it was when it was found? A heap block may have been freed, and the memory
 * hold other stacks now. */
static int is_valid(const struct lane_context *context, const struct fiber *fiber)
{
	struct extent block;

	if (__atomic_load_n(&fiber->owner, __ATOMIC_ACQUIRE) != context ||
	    fiber->is_abandoned)
		return 0;
	if (fiber->kind != FIBER_BLOCK)
		return 1;
	return bounds_block(fiber->low, &block) && block.low == fiber->low &&
	       block.high == fiber->high;
}

/*
 * A coroutine's stack may be an array in a frame of the thread's own stack. Control goes
 * there by swapcontext or setcontext, which we see. When a hook comes from there and no
 * such thing was seen, then the function with the array has returned and the memory is
 * ordinary stack again.
 */
static int is_left_over(const struct lane_context *context, uintptr_t address,
			int is_jump)
{
	return context->has_guests && !is_jump && context->fiber == &context->native &&
	       fiber_contains(&context->native, address);
}

static void drop_left_over(struct lane_context *context, uintptr_t address)
{
	struct fiber *fiber;
	uint64_t mask;

	if (!process_lock(&mask))
		return;
	bounds_forget(address);
	fiber = fiber_search(context, address);
	if (fiber)
		fiber_drop(context, fiber);
	process_unlock(&mask);
}

struct fiber *fiber_find(struct lane_context *context, uintptr_t address, int is_jump)
{
	struct extent declared;
	struct fiber *fiber;
	uint64_t mask;

	if (is_left_over(context, address, is_jump))
		drop_left_over(context, address);
	for (;;) {
		fiber = fiber_search(context, address);
		if (!fiber)
			break;
		if (is_valid(context, fiber))
			return fiber;
		if (fiber == context->fiber)
			return NULL; /* dropped when it has been left */
		if (!process_lock(&mask))
			return NULL;
		fiber_drop(context, fiber);
		process_unlock(&mask);
	}
	if (!fiber_contains(&context->native, address) ||
	    (context->has_guests && bounds_declared(address, &declared)))
		return NULL;
	return &context->native;
}

void fiber_drop_invalid(struct lane_context *context, struct fiber *fiber)
{
	uint64_t mask;

	if (fiber == &context->native ||
	    (fiber->owner == context && !fiber->is_abandoned) || !process_lock(&mask))
		return;
	fiber_drop(context, fiber);
	process_unlock(&mask);
}

/* The fiber of another lane that this address lies on. The process lock is held. */
static struct fiber *search_others(const struct lane_context *context, uintptr_t address)
{
	for (struct lane_context *lane = process->lanes; lane; lane = lane->next_lane) {
		struct fiber *fiber;

		if (lane == context || !lane->frames)
			continue;
		fiber = fiber_search(lane, address);
		if (fiber && fiber->owner == lane && !fiber->is_abandoned)
			return fiber;
	}
	return NULL;
}

/* Moves another lane's fiber, its frames as they are, into this lane. The process lock
 * is held: the old owner cannot drop it meanwhile. */
static struct fiber *take_over(struct lane_context *context, struct fiber *from)
{
	struct lane_context *owner = from->owner;
	struct segment_frame *end = from->top;
	struct fiber *to;
	uint32_t depth;

	/* acquire: pairs with the release in fiber.c, resume(): when another fiber is in
	 * use, from->top is stored */
	if (__atomic_load_n(&owner->fiber, __ATOMIC_ACQUIRE) == from) {
		/* its thread has not noticed that the fiber left */
		if (owner->top >= from->frames && owner->top <= from->limit)
			end = owner->top;
		owner->stack_size = 0;
	}
	depth = (uint32_t)(end - from->frames);
	to = fiber_add_locked(context, (struct extent){from->low, from->high}, from->kind,
			      depth);
	if (!to)
		return NULL;
	*to->clock = *from->clock;
	if (!to->clock->left_ticks)
		to->clock->left_ticks = clock_now();
	for (uint32_t i = 0; i < depth; i++)
		to->frames[i] = from->frames[i];
	to->top = to->frames + depth;
	/* release: pairs with the acquire in leave() and is_valid() */
	__atomic_store_n(&from->owner, context, __ATOMIC_RELEASE);
	from->shared->depth = 0;
	return to;
}

/* Puts the frames of a fiber taken over onto the nodes of the same path in this lane. */
static void move_nodes(struct lane_context *context, struct fiber *fiber)
{
	for (struct segment_frame *frame = fiber->frames; frame < fiber->top; frame++) {
		frame->parent_node = fiber->current;
		frame->node = 0;
		if (frame->function != LANE_ENDED_REGION)
			frame->node =
				tree_child(context, fiber->current, frame->function);
		if (frame->node)
			fiber->current = frame->node;
	}
	*fiber->depth = (uint32_t)(fiber->top - fiber->frames);
}

static uintptr_t thread_pointer(void)
{
	uintptr_t value;

	__asm__("movq %%fs:0, %0" : "=r"(value));
	return value;
}

/* The first address seen of the thread's own stack: bounds as far as they are known
 * without asking anybody. */
static struct fiber *begin_native(struct lane_context *context, uintptr_t address)
{
	struct fiber *native = &context->native;
	uintptr_t thread = thread_pointer();
	struct extent extent;

	native->anchor = address;
	native->kind = FIBER_FIXED;
	if (!bounds_main_stack(address, &extent)) {
		/* the thread's control block lies at the top of its stack */
		extent.high = address < thread && thread - address < THREAD_START
				      ? thread
				      : address + WINDOW_ABOVE;
		extent.low = address - WINDOW_STEP;
		native->kind = FIBER_WINDOW;
	}
	native->low = extent.low;
	native->high = extent.high;
	return native;
}

static struct fiber *extend_native(struct lane_context *context, struct extent extent)
{
	struct fiber *native = &context->native;
	uintptr_t thread = thread_pointer();

	if (extent.low < thread && thread < extent.high)
		extent.high = thread;
	if (extent.low < native->low)
		native->low = extent.low;
	if (extent.high > native->high)
		native->high = extent.high;
	native->kind = FIBER_FIXED;
	return native;
}

/* An address in a mapping that may hold several stacks. */
static struct fiber *fit_window(struct lane_context *context, uintptr_t address,
				struct extent mapping)
{
	uint32_t position = fiber_position(context, address);
	struct fiber *above = NULL, *below = NULL;
	uintptr_t low = mapping.low, high = mapping.high, step;

	if (position < context->fiber_count)
		above = fiber_at(context, position);
	if (position > 0)
		below = fiber_at(context, position - 1);
	if (below && below->high > low)
		low = below->high;
	if (above && above->low < high) {
		high = above->low;
		if (above->kind == FIBER_WINDOW && high - address <= WINDOW_STEP) {
			step = (above->high - address) / 4 + WINDOW_MARGIN;
			above->low = address - low > step ? address - step : low;
			return above;
		}
	}
	if (below && low == below->high && below->kind == FIBER_WINDOW &&
	    address - low < WINDOW_ABOVE) {
		below->high = address + 64;
		return below;
	}
	if (address - low > WINDOW_MARGIN)
		low = address - WINDOW_MARGIN;
	if (high - address > WINDOW_ABOVE)
		high = address + WINDOW_ABOVE;
	return fiber_add(context, (struct extent){low, high}, FIBER_WINDOW);
}

static int holds(struct extent extent, uintptr_t address)
{
	return address >= extent.low && address < extent.high;
}

struct fiber *fiber_discover(struct lane_context *context, uintptr_t address)
{
	const struct fiber *native = &context->native;
	struct extent extent;
	struct fiber *fiber;
	uint64_t mask;

	if (!process_lock(&mask))
		return NULL;
	fiber = search_others(context, address);
	if (fiber)
		fiber = take_over(context, fiber);
	process_unlock(&mask);
	if (fiber) {
		move_nodes(context, fiber);
		return fiber;
	}
	if (bounds_declared(address, &extent))
		return fiber_add(context, extent, FIBER_FIXED);
	if (!native->high)
		return begin_native(context, address);
	if (bounds_block(address, &extent)) {
		if (native->kind == FIBER_WINDOW && holds(extent, native->anchor))
			return extend_native(context, extent);
		return fiber_add(context, extent, FIBER_BLOCK);
	}
	if (!bounds_mapping(address, &extent))
		return NULL;
	if (native->kind == FIBER_WINDOW && holds(extent, native->anchor))
		return extend_native(context, extent);
	return fit_window(context, address, extent);
}
