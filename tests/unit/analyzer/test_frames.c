/* SPDX-License-Identifier: MIT */
/* What this is: frames that are nobody's code as one, and that nothing gets lost. */
#include "analyzer/tree/flame.h"
#include "analyzer/tree/calltree.h"
#include "analyzer/tree/frames.h"
#include "tests/unit/analyzer/cmocka_all.h"

#include <stdio.h>

#define RUN "std::thread::_State_impl<x>::_M_run"
#define END "std::thread::_State_impl<x>::~_State_impl"

static struct frames_node nodes[16];
static size_t count;
static struct frames frames;

static uint32_t add(uint32_t parent, const char *name, uint32_t function)
{
	nodes[count] = (struct frames_node){
		.parent = parent,
		.function = function,
		.name = name,
		.is_library =
			strncmp(name, "std::", 5) == 0 || strcmp(name, "clone") == 0,
		.is_libc = strcmp(name, "read") == 0,
	};
	return (uint32_t)count++;
}

static const char *label(uint32_t node)
{
	const char *text = frames.labels[frames.into[node]];

	return text ? text : "";
}

static void fold(unsigned what)
{
	frames_done(&frames);
	frames = frames_fold(nodes, count, what);
}

static int start(void **state)
{
	(void)state;
	count = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	frames_done(&frames);
	return 0;
}

static void libraries_are_one(void **state)
{
	uint32_t root = add(FRAMES_NONE, "main", 1), sort = add(root, "std::sort", 2);
	uint32_t inner = add(sort, "std::inner", 3), less = add(inner, "less", 4);
	uint32_t again = add(less, "std::again", 5), other = add(root, "std::other", 6);
	uint32_t less_too = add(other, "less", 4), read = add(other, "read", 7);

	(void)state;
	fold(FRAMES_LIBRARY);
	assert_string_equal(label(sort), "library");
	assert_int_equal(frames.into[inner], sort);
	assert_int_equal(frames.into[other], sort);
	assert_true(frames_is_inside(&frames, nodes, inner));
	assert_false(frames_is_inside(&frames, nodes, other));
	/* What two called is called by the one. */
	assert_int_equal(frames.into[less_too], less);
	assert_string_equal(label(less), "");
	/* Below your code it is another frame. */
	assert_int_equal(frames.into[again], again);
	assert_string_equal(label(again), "library");
	assert_int_equal(frames.into[read], read);
	assert_int_equal(frames.merged_count, 3);
}

static void threads_bear_the_name_of_what_they_run(void **state)
{
	uint32_t run = add(FRAMES_NONE, RUN, 1), call = add(run, "std::__invoke", 2);
	uint32_t helper = add(call, "std::get", 3), work = add(call, "work", 4);
	uint32_t sort = add(work, "std::sort", 5), over = add(FRAMES_NONE, END, 6);

	(void)state;
	fold(FRAMES_THREADS);
	assert_string_equal(label(run), "thread of work");
	assert_int_equal(frames.into[call], run);
	assert_int_equal(frames.into[helper], run);
	assert_int_equal(frames.into[work], work);
	assert_string_equal(label(sort), "");
	assert_string_equal(label(over), "threads");
	fold(FRAMES_THREADS | FRAMES_LIBRARY);
	assert_string_equal(label(run), "thread of work");
	assert_string_equal(label(sort), "library");
}

static void who_starts_several_is_threads(void **state)
{
	uint32_t clone = add(FRAMES_NONE, "clone", 1), a = add(clone, RUN, 2);
	uint32_t one = add(a, "one", 3), b = add(clone, "std::b", 4);
	uint32_t two = add(b, "two", 5), b_too = add(clone, "std::c", 6);

	(void)state;
	add(b_too, "two", 5);
	fold(FRAMES_THREADS);
	assert_string_equal(label(clone), "threads");
	assert_string_equal(label(a), "thread of one");
	assert_string_equal(label(b), "thread of two");
	assert_int_equal(frames.into[b_too], b);
	assert_int_equal(frames.into[one], one);
	assert_int_equal(frames.into[two], two);
}

static void tasks_are_told_where_they_are_run(void **state)
{
	uint32_t root = add(FRAMES_NONE, "main", 1);
	uint32_t get = add(root, "std::future<int>::get", 2);
	uint32_t once = add(get, "std::call_once<x>", 3), task = add(once, "task", 4);
	uint32_t idle = add(root, "std::future<long>::get", 5),
		 read = add(idle, "read", 6);
	uint32_t sort = add(root, "std::sort", 7);

	(void)state;
	add(sort, "less", 8);
	fold(FRAMES_THREADS);
	assert_string_equal(label(get), "task of task");
	assert_int_equal(frames.into[once], get);
	assert_int_equal(frames.into[task], task);
	/* It runs nothing, it waits. */
	assert_string_equal(label(idle), "");
	assert_int_equal(frames.into[read], read);
	assert_string_equal(label(sort), "");
}

static void nothing_to_fold_is_nothing(void **state)
{
	uint32_t root = add(FRAMES_NONE, "main", 1);

	(void)state;
	/* Two of one function stay two, and so do unknown ones. */
	add(root, "f", 2);
	add(root, "f", 2);
	add(root, "?", FRAMES_NONE);
	add(root, "?", FRAMES_NONE);
	fold(FRAMES_THREADS | FRAMES_LIBRARY);
	assert_false(frames.any);
	assert_int_equal(frames.merged_count, 0);
}

/* Any tree: whatever is folded, the selves of a flame add up to the same, and so do those
 * of a call tree, its calls and allocations. */
static void sums_stay(void **state)
{
	static const char *const names[] = {
		"main", "work", "std::sort", RUN, END, "clone", "std::future<int>::get",
		"read"};
	unsigned seed = 7;

	(void)state;
	for (unsigned what = 1; what <= 3; what++) {
		struct flame *flame = flame_new(FLAME_TIME, true);
		struct calltree *tree = calltree_new(), *folded, *without;
		struct calltree_total before, after;
		int64_t self = 0, self_before = 0;

		for (int i = 0; i < 8; i++)
			calltree_add_function(tree, i + 1, names[i])->is_library =
				i >= 2 && i < 7;
		for (uint32_t i = 1; i < 3000; i++) {
			struct calltree_node *node;
			struct flame_box *box;
			uint32_t parent, which;

			seed = seed * 1103515245 + 12345;
			parent = seed >> 8 & 7 ? (seed >> 11) % i : 0;
			which = seed >> 4 & 7;
			box = flame_add(flame, parent, names[which]);
			box->function = which;
			box->is_library = which >= 2 && which < 7;
			box->self = seed >> 20;
			box->self_before = seed >> 21;
			self += box->self;
			self_before += box->self_before;
			node = calltree_add_path(tree, i, parent, which + 1);
			node->self_ns = seed >> 20;
			node->total_ns = seed >> 20; /* of itself: enough for a sum */
			node->calls = seed >> 22;
			node->alloc_bytes = seed >> 23;
		}
		calltree_link(tree);
		before = calltree_sum(tree);
		without = calltree_fold(tree);
		folded = calltree_fold_frames(without, what);
		after = calltree_sum(folded);
		assert_true(folded->node_count < without->node_count);
		assert_int_equal(after.self_ns, before.self_ns);
		assert_int_equal(after.calls, before.calls);
		assert_int_equal(after.alloc_bytes, before.alloc_bytes);
		assert_int_equal(calltree_sum(without).total_ns, after.total_ns);
		calltree_free(folded);
		calltree_free(without);
		calltree_free(tree);
		flame_fold(flame, what);
		flame_sum(flame);
		assert_true(flame->folded_count > 0);
		assert_int_equal(flame->count + flame->folded_count, 3000);
		assert_int_equal(flame->boxes[FLAME_WHOLE].total, self);
		assert_int_equal(flame->boxes[FLAME_WHOLE].total_before, self_before);
		for (size_t i = 1; i < flame->count; i++)
			assert_true(flame->boxes[i].parent < i);
		flame_free(flame);
	}
}

int main(void)
{
#define CASE(function) cmocka_unit_test_setup_teardown(function, start, end)
	const struct CMUnitTest tests[] = {
		CASE(libraries_are_one),
		CASE(threads_bear_the_name_of_what_they_run),
		CASE(who_starts_several_is_threads),
		CASE(tasks_are_told_where_they_are_run),
		CASE(nothing_to_fold_is_nothing),
		CASE(sums_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
