/* SPDX-License-Identifier: MIT */
/*
 * What this is:  unit tests of calls whose path the front table does not have first: what
 *                it takes to find it is nobody's time. A page that is slow to come, as
 *                memory that has left the caches is, says how long.
 */
#include <signal.h>
#include <sys/mman.h>

#include "shim/core/clock.h"
#include "shim/lane/functions.h"
#include "shim/lane/tree.h"
#include "shim/lane/ways.h"
#include "shim/events/events.h"
#include "shim/patch/modes.h"
#include "shim/stacks/kept.h"
#include "tests/unit/shim/fixture.h"
#include "tests/unit/tests.h"

#define OUTER 0x1000ull
#define PAGE_BYTES 4096ul
#define NODES_OF_A_PAGE (PAGE_BYTES / sizeof(struct segment_node))
/* Long against all that is done beside it. */
#define SLOW_TICKS 100000000ull

static char *slow_page;
static int fault_count;

static void come_slowly(int number)
{
	uint64_t since = clock_now();

	(void)number;
	while (clock_now() - since < SLOW_TICKS)
		;
	fault_count++;
	mprotect(slow_page, PAGE_BYTES, PROT_READ | PROT_WRITE);
}

static void enter(uint64_t function)
{
	__cyg_profile_func_enter((void *)function, (void *)1);
}

static void leave(uint64_t function)
{
	__cyg_profile_func_exit((void *)function, (void *)1);
}

static void call(uint64_t function)
{
	enter(function);
	leave(function);
}

/* Functions whose paths below the current one want the same place. */
static void find_rivals(uint64_t *functions, int count)
{
	uint32_t parent = lane_self->current;
	uint64_t key = 0x100000;
	int found = 0;

	for (; found < count; key += 16) {
		if (!found || tree_place(parent, key) == tree_place(parent, functions[0]))
			functions[found++] = key;
	}
}

/* Their nodes lie on pages of their own. */
static void call_apart(const uint64_t *functions, int count)
{
	static uint64_t filler = 0x40000000;

	for (int i = 0; i < count; i++) {
		for (size_t j = 0; j < 2 * NODES_OF_A_PAGE; j++)
			call(filler += 16);
		call(functions[i]);
	}
}

static void make_slow(uint64_t function)
{
	const struct sigaction action = {.sa_handler = come_slowly};
	uint32_t node = tree_find(lane_self, lane_self->current, function);
	uintptr_t at = (uintptr_t)&lane_self->nodes[node];

	assert_int_not_equal(node, 0);
	slow_page = (char *)(at - at % PAGE_BYTES);
	fault_count = 0;
	assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
	assert_int_equal(mprotect(slow_page, PAGE_BYTES, PROT_NONE), 0);
}

static const struct segment_node *node_of(uint32_t parent, uint64_t key)
{
	return &lane_self->nodes[tree_find(lane_self, parent, key)];
}

TEST(two_paths_of_one_place_stay)
{
	uint32_t place, node[2];
	uint64_t rivals[2];

	enter(OUTER);
	find_rivals(rivals, 2);
	place = tree_place(lane_self->current, rivals[0]);
	for (int i = 0; i < 6; i++) {
		call(rivals[i % 2]);
		node[i % 2] = lane_self->front[place];
		assert_int_equal(lane_self->nodes[node[i % 2]].key, rivals[i % 2]);
		if (i) /* its rival has the other place */
			assert_int_equal(lane_self->front[tree_other_place(place)],
					 node[1 - i % 2]);
	}
	assert_int_equal(lane_self->nodes[node[0]].call_count, 3);
	assert_int_equal(lane_self->nodes[node[1]].call_count, 3);
	leave(OUTER);
	assert_int_equal(lane_self->lane->frames.count, 0);
}

/* Calls the first of so many rivals when the one that was called last is slow to come. */
static void call_past_slow(int rivals_count)
{
	const struct segment_node *outer = node_of(LANE_ROOT, OUTER), *called;
	uint64_t rivals[3], before, call_count, begin, passed, took;

	enter(OUTER);
	find_rivals(rivals, rivals_count);
	call_apart(rivals, rivals_count);
	called = node_of(lane_self->current, rivals[0]);
	for (int i = 1; i < rivals_count; i++)
		call(rivals[i]);
	leave(OUTER);
	before = outer->total_ticks;
	call_count = called->call_count;

	begin = clock_now();
	enter(OUTER);
	make_slow(rivals[rivals_count - 1]);
	call(rivals[0]);
	leave(OUTER);
	passed = clock_now() - begin;
	took = outer->total_ticks - before;
	assert_int_equal(fault_count, 1);
	assert_int_equal(called->call_count, call_count + 1);
	assert_true(took + SLOW_TICKS <= passed);
	assert_true(called->max_ticks < SLOW_TICKS);
	assert_int_equal(lane_self->lane->frames.count, 0);
	assert_int_equal(lane_self->current, LANE_ROOT);
}

TEST(a_wrong_node_is_nobodys_time)
{
	call_past_slow(2); /* the right one is in the other place */
}

TEST(a_search_is_nobodys_time)
{
	call_past_slow(3); /* the right one is in neither */
}

static int begin_all(void **state)
{
	(void)state;
	fixture_begin(110000);
	call(OUTER);
	return 0;
}

static int end_all(void **state)
{
	(void)state;
	fixture_end();
	return 0;
}

/* The children of a loop that calls thousands of functions are in short chains. */
TEST(children_of_a_wide_parent_are_found_soon)
{
	const uint32_t count = 30000;
	uint32_t longest = 0, had = lane_self->node_next;

	enter(OUTER);
	for (uint32_t round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < count; i++)
			call(0x4000000 + i * 128);
	}
	leave(OUTER);
	assert_in_range(lane_self->node_next - had, count, count + 1);
	for (uint32_t i = 0; i <= lane_self->bucket_mask; i++) {
		uint32_t length = 0;

		for (uint32_t at = lane_self->buckets[i]; at;
		     at = lane_self->nodes[at].hash_next)
			length++;
		longest = length > longest ? length : longest;
	}
	assert_in_range(longest, 1, 20);
	for (uint64_t i = 0; i < count; i++) {
		const struct segment_node *node = &lane_self->nodes[tree_find(
			lane_self, tree_find(lane_self, LANE_ROOT, OUTER),
			0x4000000 + i * 128)];

		assert_int_equal(node->call_count, 2);
	}
}

/* A thread that meets more functions than it has room for histograms counts them all. */
TEST(functions_without_a_histogram_are_counted)
{
	const struct segment_lane *lane = lane_self->lane;
	uint32_t room = lane->functions.capacity - lane_self->function_next, extra = 100;
	uint64_t last = 0x8000000 + (uint64_t)(room + extra - 1) * 128;

	assert_int_equal(lane->unlisted_path_count, 0);
	enter(OUTER);
	for (uint64_t i = 0; i < room + extra; i++)
		call(0x8000000 + i * 128);
	call(last);
	/* some of the room is kept for handlers */
	assert_in_range(lane->unlisted_path_count, extra, extra + 16);
	assert_int_equal(node_of(lane_self->current, last)->call_count, 2);
	assert_int_equal(node_of(lane_self->current, last - 128)->call_count, 1);
	leave(OUTER);
	assert_int_equal(lane->folded_call_count, 0);
}

/* A stack is the same as long as all words that a walk would read are, of the same base,
 * from the same place, and as long as the same functions are only counted. */
TEST(a_kept_stack_is_known_by_its_words)
{
	uint64_t stack[8] = {[0] = 0x77, [1] = 0x5010, [4] = 0x6010, [7] = 0x7010};
	struct stack_caller *caller = (struct stack_caller *)stack;
	struct kept_words words;

	lane_self->kept_serial = LANE_KEPT_LEAST;
	words = kept_begin(lane_self, 2, 0x7010, caller, 2);
	kept_add(&words, (uintptr_t)&stack[4], 0x6010);
	kept_add(&words, (uintptr_t)&stack[7], 0x7010);
	kept_end(&words, 9);
	assert_int_equal(kept_find(lane_self, 2, 0x7010, caller), 9);
	assert_int_equal(kept_find(lane_self, 3, 0x7010, caller), 0);
	assert_int_equal(kept_find(lane_self, 2, 0x7011, caller), 0);
	stack[4] = 0x6020;
	assert_int_equal(kept_find(lane_self, 2, 0x7010, caller), 0);
	stack[4] = 0x6010;
	modes_version++;
	assert_int_equal(kept_find(lane_self, 2, 0x7010, caller), 0);
	modes_version--;
	caller->frame_pointer = 0x78;
	assert_int_equal(kept_find(lane_self, 2, 0x7010, caller), 0);
}

/* Whichever comes next: as many times in a row as they like. */
TEST(a_kept_stack_is_found_behind_any_other)
{
	uint64_t stack[8] = {[0] = 0x77, [1] = 0x5010, [4] = 0x6010};
	struct stack_caller *caller = (struct stack_caller *)stack;

	lane_self->kept_serial = LANE_KEPT_LEAST;
	for (uint32_t i = 0; i < 3; i++) {
		struct kept_words words;

		stack[1] = 0x5010 + i;
		assert_int_equal(kept_find(lane_self, 2, 0x6010, caller), 0);
		words = kept_begin(lane_self, 2, 0x6010, caller, 1);
		kept_add(&words, (uintptr_t)&stack[4], 0x6010);
		kept_end(&words, 9 + i);
	}
	for (uint32_t i = 0; i < 20; i++) {
		uint32_t which = i * i / 3 % 3;

		stack[1] = 0x5010 + which;
		assert_int_equal(kept_find(lane_self, 2, 0x6010, caller), 9 + which);
	}
}

/* Nor are the words of others, when there is no room for those of all. */
TEST(kept_stacks_lose_their_words_to_younger_ones)
{
	uint64_t stack[8] = {[0] = 0x77, [1] = 0x8010, [4] = 0x6010};
	struct stack_caller *caller = (struct stack_caller *)stack;

	lane_self->kept_serial = LANE_KEPT_LEAST;
	for (uint32_t i = 0; i < 8; i++) {
		struct kept_words words;

		stack[1] = 0x8010 + i;
		assert_int_equal(kept_find(lane_self, 2, 0x6010, caller), 0);
		words = kept_begin(lane_self, 2, 0x6010, caller, LANE_KEPT_WORDS / 2);
		for (uint32_t k = 0; k < LANE_KEPT_WORDS / 2; k++)
			kept_add(&words, (uintptr_t)&stack[4], 0x6010);
		kept_end(&words, 9 + i);
	}
	for (uint32_t i = 0; i < 8; i++) {
		stack[1] = 0x8010 + i;
		assert_int_equal(kept_find(lane_self, 2, 0x6010, caller),
				 i < 6 ? 0 : 9 + i);
	}
}

/* One that has too many words is not kept. */
TEST(a_stack_of_too_many_words_is_not_kept)
{
	uint64_t stack[8] = {[1] = 0x5010};
	const struct stack_caller *caller = (const struct stack_caller *)stack;
	struct kept_words words;

	lane_self->kept_serial = LANE_KEPT_LEAST;
	words = kept_begin(lane_self, 2, 0, caller, 3);
	for (uint32_t i = 0; i <= 3; i++)
		kept_add(&words, (uintptr_t)&stack[2 + i], 0);
	kept_end(&words, 9);
	assert_int_equal(kept_find(lane_self, 2, 0, caller), 0);
}

TEST_GROUP(begin_all, end_all)
