/* SPDX-License-Identifier: MIT */
/*
 * What this is:  unit tests of the call hooks and the call tree.
 */

#include "shim/core/clock.h"
#include "shim/lane/tree.h"
#include "shim/events/events.h"
#include "shim/waits/locks.h"
#include "tests/unit/shim/fixture.h"
#include "tests/unit/tests.h"

#define PATH_LIMIT 50000u

static void enter(uint64_t function, uint64_t site)
{
	__cyg_profile_func_enter((void *)function, (void *)site);
}

static void leave(uint64_t function, uint64_t site)
{
	__cyg_profile_func_exit((void *)function, (void *)site);
}

static const struct segment_node *child(uint32_t parent, uint64_t key)
{
	uint32_t index = tree_child(lane_self, parent, key);

	assert_int_not_equal(index, 0);
	return &lane_self->nodes[index];
}

static uint32_t index_of(const struct segment_node *node)
{
	return (uint32_t)(node - lane_self->nodes);
}

static uint64_t histogram_sum(uint32_t function)
{
	uint64_t sum = 0;

	for (int i = 0; i < SEGMENT_HISTOGRAM_BUCKETS; i++)
		sum += lane_self->functions[function].histogram[i];
	return sum;
}

TEST(counts_nested_calls)
{
	const struct segment_node *outer, *inner;

	for (int i = 0; i < 3; i++) {
		enter(0x1000, 1);
		for (int j = 0; j < 5; j++) {
			enter(0x2000, 2);
			leave(0x2000, 2);
		}
		leave(0x1000, 1);
	}
	outer = child(LANE_ROOT, 0x1000);
	inner = child(index_of(outer), 0x2000);
	assert_int_equal(outer->call_count, 3);
	assert_int_equal(inner->call_count, 15);
	assert_int_equal(histogram_sum(inner->function), 15);
	assert_true(inner->min_ticks <= inner->max_ticks);
	assert_true(outer->total_ticks >= inner->total_ticks);
	assert_int_equal(lane_self->lane->frames.count, 0);
	assert_int_equal(lane_self->lane->repaired_frame_count, 0);
	assert_int_equal(lane_self->current, LANE_ROOT);
}

/* The system's clock, not the TSC: functions that the front table has, and others. */
TEST(counts_by_another_clock)
{
	const struct segment_node *known, *new;
	uint64_t start, passed;

	enter(0x1000, 1);
	leave(0x1000, 1);
	known = child(LANE_ROOT, 0x1000);
	clock_is_tsc = clock_has_tsc_ticks = 0;
	clock_comes_first = clock_comes_at_entry = 0;
	start = clock_monotonic();
	for (int i = 0; i < 4; i++) {
		uint64_t before = known->total_ticks, began = clock_monotonic();

		enter(0x1000, 1);
		enter(0x1800, 2);
		leave(0x1800, 2);
		leave(0x1000, 1);
		assert_true(known->total_ticks > before);
		assert_true(known->total_ticks - before <= clock_monotonic() - began);
	}
	passed = clock_monotonic() - start;
	clock_is_tsc = clock_has_tsc_ticks = 1;
	clock_comes_first = clock_comes_at_entry = 1;
	new = child(index_of(known), 0x1800);
	assert_int_equal(new->call_count, 4);
	assert_int_equal(histogram_sum(new->function), 4);
	assert_true(new->total_ticks > 0 && new->total_ticks <= passed);
	assert_int_equal(lane_self->lane->frames.count, 0);
	assert_int_equal(lane_self->current, LANE_ROOT);
}

/* What the recorder does for itself is in no call that is open meanwhile. */
TEST(own_work_is_left_out)
{
	const struct segment_node *outer, *inner;
	uint64_t begin = clock_now(), since, left_out;

	enter(0x1a00, 1);
	enter(0x1b00, 2);
	since = clock_now();
	while (clock_now() - since < 1000000)
		;
	left_out = lane_leave_out(lane_self, since, clock_now());
	assert_true(left_out >= 1000000);
	assert_int_equal(lane_self->lane->suspended_ticks, lane_self->clock_offset);
	leave(0x1b00, 2);
	leave(0x1a00, 1);
	outer = child(LANE_ROOT, 0x1a00);
	inner = child(index_of(outer), 0x1b00);
	assert_true(outer->total_ticks + left_out <= clock_now() - begin);
	assert_true(inner->total_ticks <= outer->total_ticks);
	assert_int_equal(lane_leave_out(lane_self, clock_now() + left_out, clock_now()),
			 0);
}

/* Behind a sleep that work is in no cache, and would be the caller's by a microsecond. */
TEST(books_of_waits_are_left_out)
{
	const struct segment_lane *lane = lane_self->lane;
	struct locks_wait wait;
	uint64_t before;
	int lock = 0;

	enter(0x1c00, 1);
	before = lane->left_out_ticks;
	locks_begin_wait(&wait, &lock, SEGMENT_LOCK_MUTEX, NULL);
	assert_true(lane->left_out_ticks > before);
	before = lane->left_out_ticks;
	locks_end_wait(&wait, 1);
	assert_true(lane->left_out_ticks > before);
	assert_int_equal(lane->suspended_ticks, lane_self->clock_offset);
	leave(0x1c00, 1);
}

TEST(a_bucket_passes_its_end)
{
	struct segment_function *function;

	enter(0x1900, 1);
	leave(0x1900, 1);
	function = &lane_self->functions[child(LANE_ROOT, 0x1900)->function];
	for (int i = 0; i < SEGMENT_HISTOGRAM_BUCKETS; i++)
		function->histogram[i] = UINT32_MAX;
	enter(0x1900, 1);
	leave(0x1900, 1);
	assert_int_equal(function->overflow_count, 1);
	assert_int_equal(function->histogram[function->overflow_bucket], 0);
	assert_int_equal(child(LANE_ROOT, 0x1900)->call_count, 2);
	assert_int_equal(lane_self->lane->frames.count, 0);
	assert_int_equal(lane_self->current, LANE_ROOT);
	assert_ptr_equal(lane_self->top, lane_self->frames);
}

#define REGION_A (SEGMENT_KEY_REGION | 2)
#define REGION_B (SEGMENT_KEY_REGION | 3)

static uintptr_t here(void)
{
	return (uintptr_t)__builtin_frame_address(0);
}

static uint64_t current_key(void)
{
	return lane_self->nodes[lane_self->current].key;
}

TEST(regions_nest)
{
	const struct segment_node *function, *outer, *inner, *callee;

	enter(0x41000, 1);
	function = child(LANE_ROOT, 0x41000);
	for (int i = 0; i < 3; i++) {
		calls_begin_region(REGION_A, here());
		calls_begin_region(REGION_B, here());
		enter(0x42000, 2);
		leave(0x42000, 2);
		calls_end_region(REGION_B, here());
		calls_end_region(REGION_A, here());
	}
	leave(0x41000, 1);
	outer = child(index_of(function), REGION_A);
	inner = child(index_of(outer), REGION_B);
	callee = child(index_of(inner), 0x42000);
	assert_int_equal(outer->call_count, 3);
	assert_int_equal(inner->call_count, 3);
	assert_int_equal(callee->call_count, 3);
	assert_true(outer->total_ticks >= inner->total_ticks);
	assert_int_equal(histogram_sum(outer->function), 3);
	assert_int_equal(lane_self->current, LANE_ROOT);
	assert_ptr_equal(lane_self->top, lane_self->frames);
}

/* The outer end closes the inner region, and the function's exit what it left open. */
TEST(unbalanced_regions_are_repaired)
{
	uint64_t repaired = lane_self->lane->repaired_frame_count;
	uint32_t orphans = lane_self->lane->orphan_region_count;

	enter(0x43000, 1);
	calls_begin_region(REGION_A, here());
	calls_begin_region(REGION_B, here());
	calls_end_region(REGION_A, here());
	assert_int_equal(lane_self->lane->repaired_frame_count, repaired + 1);
	calls_end_region(REGION_A, here());
	assert_int_equal(lane_self->lane->orphan_region_count, orphans + 1);
	calls_begin_region(REGION_B, here());
	leave(0x43000, 1);
	assert_int_equal(lane_self->lane->repaired_frame_count, repaired + 2);
	assert_ptr_equal(lane_self->top, lane_self->frames);
}

/* Functions that end their caller's region stay open, and leave nothing behind however
 * often they do so. */
TEST(regions_end_below_functions)
{
	uint64_t repaired = lane_self->lane->repaired_frame_count;
	struct segment_frame *top;

	enter(0x44000, 1);
	top = lane_self->top;
	for (int i = 0; i < 1000; i++) {
		calls_begin_region(REGION_A, here());
		enter(0x45000, 2);
		calls_end_region(REGION_A, here());
		enter(0x46000, 3);
		leave(0x46000, 3);
		leave(0x45000, 2);
		assert_true(lane_self->top <= top + 1);
		assert_int_equal(lane_self->nodes[lane_self->current].key, 0x44000);
	}
	assert_int_equal(*lane_self->depth, lane_self->top - lane_self->frames);
	leave(0x44000, 1);
	assert_int_equal(lane_self->lane->repaired_frame_count, repaired);
	assert_ptr_equal(lane_self->top, lane_self->frames);
	assert_int_equal(*lane_self->depth, 0);
}

/* A function that ends its caller's regions, the inner one first. */
TEST(nested_regions_end_below_functions)
{
	enter(0x49000, 1);
	calls_begin_region(REGION_A, here());
	calls_begin_region(REGION_B, here());
	enter(0x4a000, 2);
	calls_end_region(REGION_B, here());
	calls_end_region(REGION_A, here());
	leave(0x4a000, 2);
	assert_int_equal(lane_self->nodes[lane_self->current].key, 0x49000);
	leave(0x49000, 1);
	assert_ptr_equal(lane_self->top, lane_self->frames);
	assert_int_equal(*lane_self->depth, 0);
}

/* A forked child inherits a region and begins it again; a function ends that one. */
TEST(the_innermost_region_ends)
{
	struct segment_frame *inherited = lane_self->top + 1;

	enter(0x4b000, 1);
	calls_begin_region(REGION_A, here());
	inherited->caller = 0;
	calls_begin_region(REGION_A, here());
	enter(0x4c000, 2);
	calls_end_region(REGION_A, here());
	assert_int_equal(inherited->function, REGION_A);
	leave(0x4c000, 2);
	assert_int_equal(lane_self->current, inherited->node);
	calls_end_region(REGION_A, here());
	leave(0x4b000, 1);
	assert_ptr_equal(lane_self->top, lane_self->frames);
	assert_int_equal(*lane_self->depth, 0);
}

/* What is called after a jump lies below what is open then, whatever regions there were
 * when its place was marked. */
TEST(jumps_find_the_regions_of_then)
{
	uintptr_t place = here() + 300;
	uint64_t repaired = lane_self->lane->repaired_frame_count;

	enter(0x47000, 1);
	lane_self->frames[0].stack_pointer = place;
	calls_begin_region(REGION_A, place); /* ends, and another one begins */
	jump_mark(place, 7);
	calls_end_region(REGION_A, place);
	calls_begin_region(REGION_B, place);
	jump_land(place, 7);
	assert_int_equal(current_key(), REGION_B);
	calls_end_region(REGION_B, place);
	assert_int_equal(current_key(), 0x47000);
	calls_begin_region(REGION_A, place); /* ends, and a function is left */
	jump_mark(place, 7);
	calls_end_region(REGION_A, place);
	enter(0x48000, 2);
	jump_land(place, 7);
	assert_int_equal(current_key(), 0x47000);
	assert_int_equal(*lane_self->depth, 1);
	assert_int_equal(lane_self->lane->repaired_frame_count, repaired + 1);
	calls_begin_region(REGION_A, place); /* ends in the function that is left */
	jump_mark(place, 7);
	enter(0x48000, 2);
	calls_end_region(REGION_A, place - 100);
	jump_land(place, 7);
	assert_int_equal(current_key(), 0x47000);
	leave(0x47000, 1);
	assert_int_equal(lane_self->lane->repaired_frame_count, repaired + 2);
	assert_ptr_equal(lane_self->top, lane_self->frames);
	assert_int_equal(*lane_self->depth, 0);
}

/* b is left without its exit, as by a longjmp nobody wrapped: a's exit closes it. */
TEST(closes_frames_above_a_match)
{
	uint64_t repaired = lane_self->lane->repaired_frame_count;
	const struct segment_node *b;

	enter(0x3000, 1);
	enter(0x4000, 2);
	leave(0x3000, 1);
	b = child(index_of(child(LANE_ROOT, 0x3000)), 0x4000);
	assert_int_equal(segment_node_unfinished_count(b), 1);
	assert_int_equal(lane_self->lane->repaired_frame_count, repaired + 1);
	assert_int_equal(lane_self->lane->frames.count, 0);
}

/* Enters from the same call site as its caller, as a recursive function does. */
static __attribute__((noinline)) void enter_below(uint64_t function, uint64_t site)
{
	volatile uint64_t pushed = site;

	enter(function, pushed);
	leave(function, pushed);
}

/* A copy has its host's return address again, and nobody has pushed it since. */
TEST(tells_inlined_copies)
{
	const struct segment_node *host, *copy;

	enter(0x3100, 71);
	enter(0x3200, 71);
	enter(0x3300, 71);
	leave(0x3300, 71);
	leave(0x3200, 71);
	enter(0x3400, 72);
	leave(0x3400, 72);
	enter_below(0x3100, 71);
	enter(0x3100, 71); /* into itself: the path is there, and stays what it was */
	leave(0x3100, 71);
	leave(0x3100, 71);
	host = child(LANE_ROOT, 0x3100);
	copy = child(index_of(host), 0x3200);
	assert_false(segment_node_is_inlined(host));
	assert_true(segment_node_is_inlined(copy));
	assert_true(segment_node_is_inlined(child(index_of(copy), 0x3300)));
	assert_false(segment_node_is_inlined(child(index_of(host), 0x3400)));
	assert_false(segment_node_is_inlined(child(index_of(host), 0x3100)));
	assert_int_equal(segment_node_unfinished_count(copy), 0);
}

TEST(prefers_the_same_call_site)
{
	enter(0x5000, 1);
	enter(0x5000, 2);
	enter(0x6000, 3);
	leave(0x5000, 1); /* the outer activation, over the inner one */
	assert_int_equal(lane_self->lane->frames.count, 0);
	enter(0x5000, 1);
	enter(0x5000, 2);
	leave(0x5000, 9); /* an unknown site: the innermost activation */
	assert_int_equal(lane_self->lane->frames.count, 1);
	leave(0x5000, 1);
}

TEST(ignores_orphan_exits)
{
	uint64_t orphans = lane_self->lane->orphan_exit_count;

	leave(0x7000, 1);
	enter(0x7100, 1);
	leave(0x7000, 1);
	assert_int_equal(lane_self->lane->orphan_exit_count, orphans + 2);
	assert_int_equal(lane_self->lane->frames.count, 1);
	leave(0x7100, 1);
}

TEST(unwinds_to_a_stack_pointer)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	enter(0x8000, 1);
	enter(0x8100, 2);
	enter(0x8200, 3);
	lane_self->frames[0].stack_pointer = here + 300;
	lane_self->frames[1].stack_pointer = here + 200;
	lane_self->frames[2].stack_pointer = here + 100;
	jump_unwind(here + 200); /* the function called from there goes on */
	assert_int_equal(lane_self->lane->frames.count, 2);
	jump_unwind(here + 200);
	assert_int_equal(lane_self->lane->frames.count, 2);
	leave(0x8100, 2);
	leave(0x8000, 1);
}

TEST(grows_with_deep_recursion)
{
	const int depth = 20000;

	for (int i = 0; i < depth; i++)
		enter(0x9000, 1);
	assert_int_equal(lane_self->lane->frames.count, depth);
	for (int i = 0; i < depth; i++)
		leave(0x9000, 1);
	assert_int_equal(lane_self->lane->frames.count, 0);
	assert_int_equal(lane_self->lane->folded_call_count, 0);
}

/* Many children of one parent, found again after the tables have grown. */
TEST(finds_every_child_again)
{
	const uint32_t count = 20000;
	uint32_t parent = index_of(child(LANE_ROOT, 0xa000));
	uint32_t first = tree_child(lane_self, parent, 0x100000), again;

	for (uint32_t i = 1; i < count; i++)
		assert_int_not_equal(tree_child(lane_self, parent, 0x100000 + i * 16), 0);
	again = lane_self->node_next;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t index = tree_child(lane_self, parent, 0x100000 + i * 16);

		assert_int_equal(lane_self->nodes[index].key, 0x100000 + i * 16);
		assert_int_equal(lane_self->nodes[index].parent, parent);
	}
	assert_int_equal(tree_child(lane_self, parent, 0x100000), first);
	assert_int_equal(lane_self->node_next, again);
	assert_int_equal(lane_self->lane->nodes.count, again);
}

/* A handler interrupts code that finds a node that is there, and makes one. */
TEST(publishes_what_handlers_add)
{
	struct lane_context *context = lane_self;
	uint32_t known = tree_child_slow(context, LANE_ROOT, 0x5000);

	context->busy[BUSY_TREE] = 1;
	assert_int_not_equal(tree_child_slow(context, known, 0x6000), 0);
	context->busy[BUSY_TREE] = 0;
	assert_int_equal(tree_child_slow(context, LANE_ROOT, 0x5000), known);
	assert_int_equal(context->lane->nodes.count, context->node_next);
	assert_int_equal(context->lane->functions.count, context->function_next);
}

TEST(folds_past_the_path_limit)
{
	uint64_t folded = lane_self->lane->folded_call_count;
	uint32_t nodes;

	for (uint32_t i = 0; i < PATH_LIMIT; i++)
		tree_child(lane_self, LANE_ROOT, 0x4000000 + i * 16);
	nodes = lane_self->node_next;
	enter(0xb000, 1);
	enter(0xb100, 2);
	leave(0xb100, 2);
	leave(0xb000, 1);
	assert_int_equal(lane_self->node_next, nodes);
	assert_int_equal(lane_self->lane->folded_call_count, folded + 2);
	assert_int_equal(lane_self->lane->frames.count, 0);
	assert_int_equal(lane_self->current, LANE_ROOT);
}

static int begin_all(void **state)
{
	(void)state;
	fixture_begin(PATH_LIMIT);
	return 0;
}

static int end_all(void **state)
{
	(void)state;
	fixture_end();
	return 0;
}

TEST_GROUP(begin_all, end_all)
