/* SPDX-License-Identifier: MIT */
/* What this is: frames that are nobody's code as one, and that nothing gets lost. */
#include "analyzer/tree/calltree.h"
#include "common/base/xalloc.h"
#include "tests/unit/tests.h"

#define RUN "std::thread::_State_impl<x>::_M_run"
#define END "std::thread::_State_impl<x>::~_State_impl"
#define ROOT CALLTREE_NONE

static struct calltree *tree, *folded;
static uint32_t *places;

/* function 0: not known. */
static uint32_t add(uint32_t parent, const char *name, int64_t function)
{
	uint32_t number = (uint32_t)tree->node_count;
	bool is_there = function == 0;

	for (size_t i = 0; i < tree->function_count; i++)
		is_there |= tree->functions[i].function_id == function;
	if (!is_there) {
		struct calltree_function *one =
			calltree_add_function(tree, function, name);

		one->is_library =
			strncmp(name, "std::", 5) == 0 || strcmp(name, "clone") == 0;
		one->is_libc = strcmp(name, "read") == 0;
	}
	calltree_add_path(tree, number + 1, parent == ROOT ? 0 : (int64_t)parent + 1,
			  function);
	return number;
}

static const char *label(uint32_t node)
{
	uint32_t function = folded->nodes[places[node]].function;

	return function != CALLTREE_NONE && folded->functions[function].function_id ==
						    CALLTREE_FOLDED_FUNCTION
		       ? folded->functions[function].name
		       : "";
}

static void forget(void)
{
	calltree_free(folded);
	free(places);
	folded = NULL;
	places = NULL;
}

static void fold(unsigned what)
{
	if (!tree->order)
		calltree_link(tree);
	forget();
	folded = calltree_fold_frames(tree, what, &places);
}

static void assert_one(uint32_t node, uint32_t other)
{
	assert_int_equal(places[node], places[other]);
}

static void assert_apart(uint32_t node, uint32_t other)
{
	assert_int_not_equal(places[node], places[other]);
}

static int start(void **state)
{
	(void)state;
	tree = calltree_new();
	return 0;
}

static int end(void **state)
{
	(void)state;
	forget();
	calltree_free(tree);
	return 0;
}

TEST_WITH(libraries_are_one, start, end)
{
	uint32_t root = add(ROOT, "main", 1), sort = add(root, "std::sort", 2);
	uint32_t inner = add(sort, "std::inner", 3), less = add(inner, "less", 4);
	uint32_t again = add(less, "std::again", 5), other = add(root, "std::other", 6);
	uint32_t less_too = add(other, "less", 4), read = add(other, "read", 7);

	fold(CALLTREE_LIBRARY);
	assert_string_equal(label(sort), "library");
	assert_one(inner, sort);
	assert_one(other, sort);
	/* What two called is called by the one. */
	assert_one(less_too, less);
	assert_string_equal(label(less), "");
	/* Below your code it is another frame. */
	assert_apart(again, sort);
	assert_string_equal(label(again), "library");
	assert_apart(read, sort);
	assert_int_equal(folded->node_count, 5);
}

TEST_WITH(threads_bear_the_name_of_what_they_run, start, end)
{
	uint32_t run = add(ROOT, RUN, 1), call = add(run, "std::__invoke", 2);
	uint32_t helper = add(call, "std::get", 3), work = add(call, "work", 4);
	uint32_t sort = add(work, "std::sort", 5), over = add(ROOT, END, 6);

	fold(CALLTREE_THREADS);
	assert_string_equal(label(run), "thread of work");
	assert_one(call, run);
	assert_one(helper, run);
	assert_apart(work, run);
	assert_string_equal(label(sort), "");
	assert_string_equal(label(over), "threads");
	fold(CALLTREE_THREADS | CALLTREE_LIBRARY);
	assert_string_equal(label(run), "thread of work");
	assert_string_equal(label(sort), "library");
}

TEST_WITH(who_starts_several_is_threads, start, end)
{
	uint32_t clone = add(ROOT, "clone", 1), a = add(clone, RUN, 2);
	uint32_t one = add(a, "one", 3), b = add(clone, "std::b", 4);
	uint32_t two = add(b, "two", 5), b_too = add(clone, "std::c", 6);

	add(b_too, "two", 5);
	fold(CALLTREE_THREADS);
	assert_string_equal(label(clone), "threads");
	assert_string_equal(label(a), "thread of one");
	assert_string_equal(label(b), "thread of two");
	assert_one(b_too, b);
	assert_apart(one, a);
	assert_apart(two, b);
}

TEST_WITH(tasks_are_told_where_they_are_run, start, end)
{
	uint32_t root = add(ROOT, "main", 1);
	uint32_t get = add(root, "std::future<int>::get", 2);
	uint32_t once = add(get, "std::call_once<x>", 3), task = add(once, "task", 4);
	uint32_t idle = add(root, "std::future<long>::get", 5),
		 read = add(idle, "read", 6);
	uint32_t sort = add(root, "std::sort", 7);

	add(sort, "less", 8);
	fold(CALLTREE_THREADS);
	assert_string_equal(label(get), "task of task");
	assert_one(once, get);
	assert_apart(task, get);
	/* It runs nothing, it waits. */
	assert_string_equal(label(idle), "");
	assert_apart(read, idle);
	assert_string_equal(label(sort), "");
}

TEST_WITH(nothing_to_fold_is_nothing, start, end)
{
	uint32_t root = add(ROOT, "main", 1);

	/* Two of one function stay two, and so do unknown ones. */
	add(root, "f", 2);
	add(root, "f", 2);
	add(root, "?", 0);
	add(root, "?", 0);
	fold(CALLTREE_THREADS | CALLTREE_LIBRARY);
	assert_int_equal(folded->node_count, tree->node_count);
}

/* Any tree: whatever is folded, its selves, calls and allocations add up to the same. */
TEST_WITH(sums_stay, start, end)
{
	static const char *const names[] = {
		"main", "work", "std::sort", RUN, END, "clone", "std::future<int>::get",
		"read"};
	unsigned seed = 7;

	for (uint32_t i = 1; i < 3000; i++) {
		struct calltree_node *node;
		uint32_t parent, which;

		seed = seed * 1103515245 + 12345;
		parent = seed >> 8 & 7 ? (seed >> 11) % i : 0;
		which = seed >> 4 & 7;
		add(parent ? parent - 1 : ROOT, names[which], which + 1);
		node = &tree->nodes[tree->node_count - 1];
		node->self_ns = seed >> 20;
		node->total_ns = seed >> 20; /* of itself: enough for a sum */
		node->calls = seed >> 22;
		node->alloc_bytes = seed >> 23;
	}
	calltree_link(tree);
	for (unsigned what = 1; what <= 3; what++) {
		struct calltree *without = calltree_fold(tree);
		struct calltree_total before = calltree_sum(tree), after;

		forget();
		folded = calltree_fold_frames(without, what, &places);
		after = calltree_sum(folded);
		assert_true(folded->node_count < without->node_count);
		assert_int_equal(after.self_ns, before.self_ns);
		assert_int_equal(after.calls, before.calls);
		assert_int_equal(after.alloc_bytes, before.alloc_bytes);
		assert_int_equal(calltree_sum(without).total_ns, after.total_ns);
		calltree_free(without);
	}
}
