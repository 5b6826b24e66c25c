/* SPDX-License-Identifier: MIT */
/* What has been found out, by return address, in a direct-mapped table whose entries are
 * one word each: see code.c. */
#include "shim/stacks/callers.h"

#include <stdint.h>

#include "shim/code/code.h"
#include "shim/lane/busy.h"
#include "shim/lane/tree.h"

#define KNOWN_COUNT 4096u
#define ADDRESS_SHIFT 17 /* addresses of programs have 47 bits */

/* Which objects were there: 16 bits of a number that changes with them. */
static uint64_t known[KNOWN_COUNT];

static uint64_t objects_now(void)
{
	return ((uint64_t)process->unload_count * 64 + headers_generation()) & 0xffff;
}

static int find(uint64_t return_address)
{
	struct extent function;
	struct code code;

	return headers_ask(return_address) != HEADERS_UNKNOWN &&
	       code_find(return_address - 1, &code) == 0 &&
	       code_function(&code, return_address - 1, &function) == 0 &&
	       headers_ask(function.low) == HEADERS_NO;
}

/* The call that returns to this address. 0: a header's code, or of an object whose
 * functions nobody has looked at. */
static int user_code_has(uint64_t return_address)
{
	uint64_t *place = &known[(return_address ^ return_address >> 12) % KNOWN_COUNT];
	uint64_t key = return_address << ADDRESS_SHIFT | objects_now() << 1;
	uint64_t seen = __atomic_load_n(place, __ATOMIC_RELAXED);

	if (likely((seen & ~1ull) == key))
		return seen & 1;
	key |= (uint64_t)find(return_address);
	__atomic_store_n(place, key, __ATOMIC_RELAXED);
	return key & 1;
}

#define CALLERS_MOST 64
#define FRAMES_MOST 64

/* Is the frame that of a header's function, which a call of this process began? */
static int counts(const struct segment_frame *frame)
{
	return !segment_key_is_region(frame->function) &&
	       segment_frame_return_address(frame) && headers_has(frame->function);
}

/* How many frames, from the innermost one outwards, are of headers' functions. */
static int count_frames(const struct lane_context *context)
{
	int count = 0;

	while (count < FRAMES_MOST && context->top - count > context->frames &&
	       counts(&context->top[-1 - count]))
		count++;
	return count;
}

static const struct callers_memo *learn(struct lane_context *context)
{
	struct callers_memo *memo = callers_memo_of(context);
	int count = context->current == LANE_ROOT ? 0 : count_frames(context);

	/* a handler may jump out of here */
	memo->node = 0;
	__asm__ volatile("" : : : "memory");
	memo->frame_count = (uint32_t)count;
	__asm__ volatile("" : : : "memory");
	memo->node = context->current;
	return memo;
}

/* How many frames of headers' functions are at the top. */
static int header_frames(struct lane_context *context)
{
	const struct callers_memo *memo = callers_memo_of(context);
	long count, most = context->top - context->frames;

	if (memo->node != context->current)
		memo = learn(context);
	count = (long)memo->frame_count;
	/* without room for nodes frames have those of others */
	return (int)(count < most ? count : most);
}

/* Nothing is twice in a list of places, so recursion counts as one call; what is first in
 * it is what was met first. Returns how many there are. */
static int add_place(uint64_t *places, int count, uint64_t return_address)
{
	for (int i = 0; i < count; i++) {
		if (places[i] == return_address)
			return count;
	}
	if (count < CALLERS_MOST)
		places[count++] = return_address;
	return count;
}

/* Where the first function behind so many frames was called from, which no header has
 * brought; 0: it is not known. */
static uint64_t end_of_walk(const struct lane_context *context, int frame_count)
{
	const struct segment_frame *frame = context->top - frame_count;

	return frame_count < FRAMES_MOST && frame > context->frames
		       ? segment_frame_return_address(&frame[-1])
		       : 0;
}

/* The places on the stack outside of the call of this call site (0: of the innermost
 * one), as far as the first that is not in a header's code, or is this end. Of functions
 * without a frame of ours, which are counted, off, or have no hooks, only the stack
 * tells. -1: it cannot be walked. */
static int walk_out(const struct lane_context *context, const struct stack_caller *caller,
		    uint64_t call_site, uint64_t end, uint64_t *places)
{
	uintptr_t low = paused_stack_low(context), high = low + context->stack_size;
	struct stack_frame frame = {.return_address = caller->return_address,
				    .stack_pointer = (uintptr_t)(caller + 1),
				    .frame_pointer = caller->frame_pointer};
	int is_outside = 0, count = 0;

	if (!low || frame.stack_pointer - low > context->stack_size)
		return -1;
	for (int i = 0; i < FRAMES_MOST && !user_code_has(frame.return_address); i++) {
		enum cfi_kind kind = walk_step(&frame, high);

		if (kind == CFI_END || (end && frame.return_address == end))
			break;
		if (kind != CFI_STEP)
			return -1;
		is_outside |= !call_site || frame.return_address == call_site;
		if (is_outside)
			count = add_place(places, count, frame.return_address);
	}
	return count;
}

/* The same as the frames' hooks were told it. */
static int read_frames(const struct lane_context *context, int frame_count,
		       uint64_t *places)
{
	int count = 0;

	for (int i = 1; i <= frame_count; i++)
		count = add_place(places, count,
				  segment_frame_return_address(&context->top[-i]));
	return count;
}

static uint64_t add_to_hash(uint64_t hash, uint64_t word)
{
	return (hash ^ word) * 0x9e3779b97f4a7c15ull;
}

static uint64_t hash_of_frames(const struct lane_context *context, int frame_count)
{
	uint64_t hash = context->current;

	for (int i = 1; i <= frame_count; i++)
		hash = add_to_hash(hash, context->top[-i].caller);
	return hash;
}

/* Not that of any frames. */
static uint64_t hash_of_places(uint32_t function, const uint64_t *places, int count)
{
	uint64_t hash = function | 1ull << 32;

	for (int i = 0; i < count; i++)
		hash = add_to_hash(hash, places[i]);
	return hash;
}

/* The innermost node of a chain below a function's node, kept by this hash; or 0. */
static uint32_t known_chain(const struct lane_context *context, uint32_t function,
			    uint64_t hash)
{
	const struct callers_chain *chain = &context->chains[hash >> 56];

	return chain->hash == hash && chain->node == function &&
			       chain->unload_count == process->unload_count
		       ? chain->innermost
		       : 0;
}

/* The same for these places, which are kept by this hash from now on. */
static uint32_t make_chain(struct lane_context *context, uint32_t function, uint64_t hash,
			   const uint64_t *places, int count)
{
	struct callers_chain *chain = &context->chains[hash >> 56];
	uint32_t node = function;

	for (int i = 0; i < count; i++) {
		uint32_t child =
			tree_child(context, node, places[i] | SEGMENT_KEY_CALL_SITE);

		if (!child)
			return node;
		node = child;
	}
	chain->hash = 0;
	__asm__ volatile("" : : : "memory");
	chain->node = function;
	chain->innermost = node;
	chain->unload_count = process->unload_count;
	__asm__ volatile("" : : : "memory");
	chain->hash = hash;
	return node;
}

static uint32_t chain_of_places(struct lane_context *context, uint32_t function,
				const uint64_t *places, int count)
{
	uint64_t hash = hash_of_places(function, places, count);
	uint32_t node = known_chain(context, function, hash);

	return node ? node : make_chain(context, function, hash, places, count);
}

static int are_same(const uint64_t *places, int count, const uint64_t *others,
		    int other_count)
{
	for (int i = 0; i < count; i++) {
		if (i == other_count || places[i] != others[i])
			return 0;
	}
	return count == other_count;
}

/* The node of calls of no header's function from this call site; where it cannot be made
 * the function's own. Paths come before places. */
static uint32_t find_place(struct lane_context *context, uint32_t node,
			   uint64_t call_site)
{
	uint32_t place = callers_known_place(context, node, call_site);

	if (!place && process->path_count < process_facts.path_limit / 2)
		place = tree_child(context, node, call_site | SEGMENT_KEY_CALL_SITE);
	return place ? place : node;
}

/* Frames without any other call between them have none when they are called from the
 * same places again: each of these lies in the function around. Only then are they
 * believed without looking at the stack, which takes longer. */
uint32_t callers_find_base(struct lane_context *context,
			   const struct stack_caller *caller)
{
	int frame_count = header_frames(context), count, told_count;
	uint64_t hash, call_site, places[CALLERS_MOST], told[CALLERS_MOST];
	uint32_t function = context->current, node;

	if (!frame_count)
		return find_place(context, function,
				  segment_frame_caller(&context->top[-1]));
	hash = hash_of_frames(context, frame_count);
	node = known_chain(context, function, hash);
	if (likely(node))
		return node;
	call_site = segment_frame_return_address(&context->top[-1]);
	count = walk_out(context, caller, call_site, end_of_walk(context, frame_count),
			 places);
	told_count = read_frames(context, frame_count, told);
	if (count < 0 || are_same(places, count, told, told_count))
		return make_chain(context, function, hash, told, told_count);
	return chain_of_places(context, function, places, count);
}

uint32_t callers_find_frameless(struct lane_context *context, uint32_t node,
				uint64_t function, const struct stack_caller *caller,
				uint64_t call_site)
{
	uint64_t places[CALLERS_MOST];
	int count;

	if (call_site)
		tree_note_call(context, node, call_site);
	if (!headers_any || !headers_has(function))
		return find_place(context, node, call_site);
	count = walk_out(context, caller, call_site,
			 end_of_walk(context, header_frames(context)), places);
	return count > 0 ? chain_of_places(context, node, places, count) : node;
}
