/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a small sound recording, damaged in one place at a time: each check must
 *                notice its own damage, and nothing must be noticed before and after.
 * Runs on:       tests.
 * See also:      tests/stress/check.h
 */

#include "shim/lane/tree.h"
#include "shim/memory/shadow.h"
#include "shim/memory/site.h"
#include "shim/events/events.h"
#include "tests/stress/check.h"
#include "tests/unit/shim/fixture.h"
#include "tests/unit/tests.h"

#define HEAP 0x7000000ull

static uint32_t outer, inner, site, other_site, arrival, detour;

static void enter(uint64_t function)
{
	__cyg_profile_func_enter((void *)function, (void *)1);
}

static void leave(uint64_t function)
{
	__cyg_profile_func_exit((void *)function, (void *)1);
}

static uint32_t new_site(uint32_t node)
{
	uint32_t index = site_new(lane_self->slot, node);

	lane_self->nodes[node].site = index;
	return index;
}

static void allocate(uint64_t address, uint32_t at, uint64_t size)
{
	assert_int_equal(shadow_put(HEAP + address, at, size, 0), 0);
	site_allocated(at, size, NULL);
}

static void release(uint64_t address)
{
	struct shadow_block block = shadow_take(HEAP + address);

	site_released(&block, lane_self->slot, 0);
}

/* outer is open, inner has been called 3 times; two sites, a small and a large block. */
static void record(void)
{
	enter(0x1000);
	outer = lane_self->current;
	for (int i = 0; i < 3; i++) {
		enter(0x2000);
		inner = lane_self->current;
		leave(0x2000);
	}
	site = new_site(
		tree_child(lane_self, outer, SEGMENT_KEY_RETURN_ADDRESS | 0x1010));
	other_site = new_site(
		tree_child(lane_self, outer, SEGMENT_KEY_RETURN_ADDRESS | 0x1020));
	detour = tree_arrive(lane_self, outer, 0x2000,
			     tree_level(lane_self, outer, 0x3001));
	arrival = detour - 1;
	allocate(0, site, 100);
	allocate(0x100, site, 50);
	allocate(0x200, other_site, 1ull << 40);
	release(0x100);
}

/* Everything, the file opened anew. */
static struct check check_all(int is_quiet)
{
	struct check check;

	assert_int_equal(check_open(&check, process_file_path, is_quiet), 0);
	check_file(&check);
	if (is_quiet)
		check_shadow(&check, process->slot);
	check_close(&check);
	return check;
}

static void expect_sound(void)
{
	assert_int_equal(check_all(1).failure_count, 0);
	assert_int_equal(check_all(0).failure_count, 0);
}

static void expect_failure(const char *sentence)
{
	struct check check = check_all(1);

	assert_int_not_equal(check.failure_count, 0);
	if (!strstr(check.text, sentence))
		fail_msg("the check says \"%s\", not \"%s\"", check.text, sentence);
}

/* Stores a value, expects the failure, and puts the old value back. */
#define DAMAGE(place, value, sentence)                                                   \
	do {                                                                             \
		__typeof__(place) old_value_ = (place);                                  \
		(place) = (value);                                                       \
		expect_failure(sentence);                                                \
		(place) = old_value_;                                                    \
		expect_sound();                                                          \
	} while (0)

TEST(finds_a_sound_file_sound)
{
	expect_sound();
}

TEST(notices_a_damaged_tree)
{
	struct segment_node *nodes = lane_self->nodes;
	uint32_t frame = process->sites[site].node;

	DAMAGE(nodes[inner].parent, inner, "is not before it");
	DAMAGE(nodes[inner].parent, 0, "is not before it");
	DAMAGE(nodes[inner].function, 77, "no function 77");
	DAMAGE(nodes[inner].key, 0x3000, "has another key");
	DAMAGE(nodes[frame].key, 0, "no key");
	DAMAGE(nodes[frame].call_count, 1, "an unwound frame with calls");
	DAMAGE(nodes[arrival].call_count, inner, "an arrival of no node");
	DAMAGE(nodes[detour].unfinished, 0, "an arrival of no node");
	DAMAGE(nodes[arrival].function, 1, "a level with calls");
	DAMAGE(nodes[inner].call_count, 4, "calls, but 3 finished and 0 open");
	DAMAGE(nodes[inner].unfinished, 1, "calls, but 3 finished and 0 open");
	DAMAGE(nodes[inner].unfinished, 4, "but 3 finished");
	DAMAGE(nodes[inner].min_ticks, nodes[inner].max_ticks + 1, "min above max");
	DAMAGE(nodes[LANE_ROOT].key, 5, "the root is no root");
	DAMAGE(lane_self->functions[nodes[inner].function].histogram[9], 1000,
	       "finished");
	DAMAGE(lane_self->lane->nodes.count, 0xffffffff, "nodes do not fit");
	DAMAGE(lane_self->lane->functions.offset, 1ull << 60, "functions do not fit");
	DAMAGE(lane_self->lane->magic, 5, "wrong magic of a lane");
}

TEST(notices_damaged_frames)
{
	struct segment_frame *frame = lane_self->frames;

	DAMAGE(frame->parent_node, inner, "called from node");
	DAMAGE(frame->node, inner, "is no child of node");
	DAMAGE(frame->node, 0xfffff, "no node");
	DAMAGE(lane_self->lane->frames.count, 0, "calls, but 0 finished and 0 open");
	DAMAGE(lane_self->lane->frames.count, 0x7fffffff, "frames do not fit");
	DAMAGE(lane_self->lane->in_use, 0, "is not its own");
}

/* A coroutine in which outer is open. */
TEST(notices_damaged_stacks)
{
	struct segment_lane *lane = lane_self->lane;
	struct segment_fiber *fiber = (void *)((char *)lane + lane->fibers.offset);
	struct segment_frame *frame = lane_self->frames + 5;

	assert_int_equal(process_commit(lane, lane_self->slot, lane->fibers.offset,
					sizeof(*fiber)),
			 0);
	lane->fibers.count = 1;
	*fiber = (struct segment_fiber){
		.first_frame = 5, .frame_capacity = 2, .in_use = 1};
	expect_sound();
	fiber->depth = 1;
	*frame = (struct segment_frame){.caller = 1, .node = outer, .parent_node = 1};
	lane_self->nodes[outer].call_count++;
	expect_sound();
	DAMAGE(frame->parent_node, inner, "called from node");
	DAMAGE(fiber->depth, 3, "stack 0: frames do not fit");
	DAMAGE(fiber->depth, 0, "calls, but 0 finished and 1 open");
	DAMAGE(fiber->first_frame, 0xffffff, "stack 0: frames do not fit");
	DAMAGE(fiber->in_use, 0, "stack 0: 1 frames are open and nobody there");
	DAMAGE(lane->fibers.count, 0xffffffff, "stacks do not fit");
	lane_self->nodes[outer].call_count--;
	lane->fibers.count = 0;
}

TEST(notices_damaged_books)
{
	struct segment_process *segment = process->segment;
	struct segment_site *books = &process->sites[site];

	DAMAGE(books->node, 0xfffff, "no node 1048575 in lane");
	DAMAGE(books->alloc_bytes, books->alloc_bytes + 1, "are mapped");
	DAMAGE(books->free_count, 7, "are mapped");
	DAMAGE(books->lock, 1, "locked");
	DAMAGE(books->peak_bytes, 99, "holds more than its peak");
	DAMAGE(books->temporary_count, 8, "a part is larger");
	DAMAGE(books->at_peak_bytes, books->at_peak_bytes + 1, "shares add up");
	DAMAGE(books->peak_generation, 1ull << 40, "shares add up");
	DAMAGE(segment->below_peak, 0, "sites hold");
	DAMAGE(segment->sites.offset, 1ull << 60, "sites do not fit");
	DAMAGE(lane_self->nodes[books->node].site, other_site, "belongs to node");
	DAMAGE(lane_self->nodes[books->node].site, 500, "no site 500");
}

TEST(notices_damaged_threads)
{
	struct segment_thread *thread =
		(void *)((char *)process->segment + process->segment->threads.offset);

	DAMAGE(thread->tid, 0, "no tid");
	DAMAGE(thread->end_ticks, 1, "ended before it began");
	DAMAGE(thread->lane_slot, 900, "slot 900 is no lane");
	DAMAGE(process->segment->threads.count, 1u << 30, "threads do not fit");
}

TEST(notices_a_damaged_shadow)
{
	uint64_t *word = shadow_word(HEAP, 0), *large = shadow_word(HEAP + 0x210, 0);

	DAMAGE(*word, 0, "0 blocks of 0 bytes are mapped, 1 of 100 booked");
	DAMAGE(*word, *word + (1 << 24), "1 blocks of 101 bytes are mapped");
	DAMAGE(*word, *word + 20, "are mapped");
	DAMAGE(*large, 5, "1 blocks of 5 bytes are mapped");
	assert_int_equal(shadow_put(HEAP + 0x300, SHADOW_SITE_TOOL, 5, 0), 0);
	expect_sound();
	shadow_take(HEAP + 0x300);
}

static int begin_all(void **state)
{
	(void)state;
	fixture_begin(1000);
	record();
	return 0;
}

static int end_all(void **state)
{
	(void)state;
	leave(0x1000);
	fixture_end();
	return 0;
}

TEST_GROUP(begin_all, end_all)
