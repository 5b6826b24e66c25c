/* SPDX-License-Identifier: MIT */
/* What this is: call trees: linking, damage, recursion, sums, filters. */
#include "analyzer/tree/calltree.h"
#include "analyzer/tree/filter.h"
#include "analyzer/model/table.h"
#include "common/base/text.h"
#include "tests/unit/tests.h"

static void add(struct calltree *tree, int64_t id, int64_t parent, int64_t function,
		int64_t calls, int64_t total_ns, int64_t self_ns)
{
	struct calltree_node *node = calltree_add_path(tree, id, parent, function);

	node->calls = calls;
	node->total_ns = total_ns;
	node->self_ns = self_ns;
	node->alloc_bytes = calls * 10;
	node->alloc_count = calls;
}

/* main -> f -> f -> g, main -> g; ids in no order. */
static struct calltree *recursive(void)
{
	struct calltree *tree = calltree_new();

	calltree_add_function(tree, 3, "g");
	calltree_add_function(tree, 1, "main");
	calltree_add_function(tree, 2, "f");
	add(tree, 13, 12, 3, 4, 20, 20);
	add(tree, 10, 0, 1, 1, 100, 10);
	add(tree, 12, 11, 2, 2, 50, 30);
	add(tree, 11, 10, 2, 1, 80, 30);
	add(tree, 14, 10, 3, 1, 10, 10);
	calltree_link(tree);
	return tree;
}

TEST(paths_are_linked)
{
	struct calltree *tree = recursive();
	uint32_t main_node = calltree_find(tree, 10), leaf = calltree_find(tree, 13);

	assert_int_equal(tree->order_count, 5);
	assert_int_equal(tree->order[0], main_node);
	assert_int_equal(tree->nodes[leaf].depth, 4);
	assert_string_equal(calltree_name(tree, leaf), "g");
	assert_int_equal(tree->nodes[main_node].tree_alloc_bytes, 90);
	assert_int_equal(tree->nodes[main_node].tree_alloc_count, 9);
	assert_int_equal(calltree_find(tree, 99), CALLTREE_NONE);
	assert_int_equal(calltree_sum(tree).self_ns, 100);
	assert_int_equal(calltree_sum(tree).total_ns, 100);
	calltree_free(tree);
}

static void assert_chain(const struct calltree *tree, int64_t path_id, const char *end,
			 const char *wanted)
{
	struct strbuf text = {0};

	calltree_put_chain(tree, calltree_find(tree, path_id), end, &text);
	assert_string_equal(strbuf_text(&text), wanted);
	strbuf_free(&text);
}

/* Nobody timed a call of put below serve, but the stack had it when room was called. */
TEST(levels_that_were_not_timed_are_in_brackets)
{
	struct calltree *tree = calltree_new();

	calltree_add_function(tree, 1, "main");
	calltree_add_function(tree, 2, "serve");
	calltree_add_function(tree, 3, "put");
	calltree_add_function(tree, 4, "room");
	add(tree, 10, 0, 1, 1, 100, 1);
	add(tree, 11, 10, 2, 9, 20, 1);
	add(tree, 12, 11, 3, 9, 20, 1);
	add(tree, 13, 12, 4, 1, 20, 20);
	calltree_link(tree);
	tree->nodes[calltree_find(tree, 12)].is_untimed = true;
	assert_chain(tree, 13, TABLE_CHAIN_END_TEXT, "main\x1fserve\x1f[put]\x1froom");
	assert_chain(tree, 13, " > ", "main > serve > put > room");
	assert_chain(tree, 12, TABLE_CHAIN_END_TEXT, "main\x1fserve\x1fput");
	tree->nodes[calltree_find(tree, 12)].is_inlined = true;
	assert_chain(tree, 13, TABLE_CHAIN_END_TEXT, "main\x1fserve\x1fput\x1froom");
	calltree_free(tree);
}

TEST(damage_is_survived)
{
	struct calltree *tree = calltree_new(), *folded;
	uint32_t keys[6] = {CALLTREE_NONE, CALLTREE_NONE, CALLTREE_NONE,
			    CALLTREE_NONE, CALLTREE_NONE, CALLTREE_NONE};

	add(tree, 1, 2, 7, 1, 1, 1); /* a ring, unknown functions */
	add(tree, 2, 1, 7, 1, 1, 1);
	add(tree, 3, 3, 7, 1, 1, 1);		      /* its own parent */
	add(tree, 4, 99, 8, 1, INT64_MAX, INT64_MAX); /* no such parent */
	add(tree, 5, 4, 8, INT64_MAX / 10, INT64_MAX, INT64_MAX);
	add(tree, 5, 4, 8, 1, -5, INT64_MIN); /* twice */
	calltree_link(tree);
	assert_int_equal(tree->order_count, 3);
	assert_string_equal(calltree_name(tree, tree->order[0]), "?");
	calltree_sort(tree, CALLTREE_BY_NAME);
	calltree_sum(tree);
	free(calltree_outermost(tree, keys, 0));
	folded = calltree_fold(tree);
	calltree_free(folded);
	calltree_free(tree);

	tree = calltree_new();
	calltree_link(tree);
	assert_int_equal(calltree_find(tree, 1), CALLTREE_NONE);
	calltree_free(calltree_fold(tree));
	calltree_free(tree);
}

static const struct calltree_node *child(const struct calltree *tree, uint32_t parent,
					 const char *name)
{
	uint32_t at = parent == CALLTREE_NONE ? tree->first_root
					      : tree->nodes[parent].first_child;

	while (at != CALLTREE_NONE && strcmp(calltree_name(tree, at), name) != 0)
		at = tree->nodes[at].next;
	return at == CALLTREE_NONE ? NULL : &tree->nodes[at];
}

TEST(recursion_folds)
{
	struct calltree *tree = recursive(), *folded = calltree_fold(tree);
	const struct calltree_node *main_node = child(folded, CALLTREE_NONE, "main");
	const struct calltree_node *f, *g;

	assert_non_null(main_node);
	assert_int_equal(folded->node_count, 4);
	f = child(folded, (uint32_t)(main_node - folded->nodes), "f");
	assert_non_null(f);
	assert_int_equal(f->calls, 3);
	assert_int_equal(f->total_ns, 80); /* the outermost only */
	assert_int_equal(f->self_ns, 60);
	assert_int_equal(f->recursion, 2);
	assert_int_equal(f->path_count, 2);
	assert_int_equal(f->tree_alloc_bytes, 70);
	g = child(folded, (uint32_t)(f - folded->nodes), "g");
	assert_non_null(g);
	assert_int_equal(g->calls, 4);
	assert_int_equal(calltree_sum(folded).self_ns, calltree_sum(tree).self_ns);
	calltree_free(folded);
	calltree_free(tree);
}

/* Errors of what is folded add up, but not above what all of it can take. */
TEST(errors_stay_below_the_total)
{
	struct calltree *tree = recursive(), *folded;
	struct calltree_node *outer = &tree->nodes[calltree_find(tree, 11)];
	struct calltree_node *inner = &tree->nodes[calltree_find(tree, 12)];
	const struct calltree_node *f;

	outer->self_error_ns = inner->self_error_ns = 20;
	outer->total_error_ns = 5;
	folded = calltree_fold(tree);
	f = child(folded, calltree_find(folded, 10), "f");
	assert_non_null(f);
	assert_int_equal(f->self_error_ns, 40); /* no more than the 60 themselves */
	calltree_free(folded);
	outer->self_error_ns = inner->self_error_ns = 50;
	folded = calltree_fold(tree);
	f = child(folded, calltree_find(folded, 10), "f");
	assert_non_null(f);
	assert_int_equal(f->self_error_ns, 60); /* up to 120 of at most 85 otherwise */
	/* one path of two that became one cannot be less certain than its function */
	folded->functions[f->function].self_error_ns = 45;
	calltree_narrow_self(folded, &folded->nodes[f - folded->nodes]);
	assert_int_equal(f->self_error_ns, 45);
	calltree_free(folded);
	calltree_free(tree);
}

/* main calls f, f's code has g, g's has h; h calls k, and so does f. */
TEST(inlined_copies_fold)
{
	struct calltree *tree = calltree_new();
	struct calltree_total before;
	uint32_t f, g, h, k;

	for (int i = 0; i < 5; i++)
		calltree_add_function(tree, i + 1,
				      (const char *[]){"main", "f", "g", "h", "k"}[i]);
	add(tree, 10, 0, 1, 1, 100, 5);
	add(tree, 11, 10, 2, 2, 95, 20);
	add(tree, 12, 11, 3, 30, 70, 10);
	add(tree, 13, 12, 4, 40, 60, 40);
	add(tree, 14, 13, 5, 50, 20, 20);
	add(tree, 15, 11, 5, 6, 5, 5);
	for (int i = 2; i < 4; i++)
		tree->nodes[i].is_inlined = true;
	tree->nodes[3].alloc_bytes = 64;
	calltree_link(tree);
	before = calltree_sum(tree);
	calltree_fold_inlined(tree);
	f = calltree_find(tree, 11);
	g = calltree_find(tree, 12);
	h = calltree_find(tree, 13);
	k = calltree_find(tree, 14);
	assert_int_equal(calltree_find(tree, 15), k);
	assert_int_equal(tree->nodes[k].parent, f);
	assert_int_equal(tree->nodes[k].calls, 56);
	assert_int_equal(tree->nodes[k].total_ns, 25);
	assert_int_equal(tree->nodes[f].self_ns, 70);
	assert_int_equal(tree->nodes[f].total_ns, 95);
	/* copies keep their place, calls and memory, but no time */
	assert_int_equal(tree->nodes[h].parent, g);
	assert_true(calltree_is_folded(tree, g) && calltree_is_folded(tree, h));
	assert_int_equal(tree->nodes[h].self_ns + tree->nodes[h].total_ns, 0);
	assert_int_equal(tree->nodes[h].calls, 40);
	assert_int_equal(tree->nodes[g].tree_alloc_bytes, 300 + 64);
	assert_int_equal(tree->order_count, 5);
	assert_int_equal(calltree_sum(tree).self_ns, before.self_ns);
	assert_int_equal(calltree_sum(tree).total_ns, before.total_ns);
	assert_int_equal(calltree_sum(tree).calls, before.calls);
	assert_int_equal(calltree_caller(tree, h), tree->nodes[f].function);
	/* a moment's own times, put in later */
	tree->nodes[h].self_ns = 7;
	tree->nodes[h].total_ns = 7;
	calltree_move_times(tree);
	assert_int_equal(tree->nodes[f].self_ns, 77);
	assert_int_equal(tree->nodes[h].total_ns, 0);
	calltree_free(tree);
}

TEST(deep_and_wide_trees_are_fast)
{
	struct calltree *tree = calltree_new(), *folded;

	for (int i = 0; i < 50000; i++)
		calltree_add_function(tree, i + 1, "f");
	for (int i = 0; i < 50000; i++) /* deep, one function */
		add(tree, i + 1, i, 1, 1, 50000 - i, 1);
	for (int i = 0; i < 50000; i++) /* wide, below the first */
		add(tree, 60000 + i, 1, i + 1, 1, 1, 1);
	calltree_link(tree);
	assert_int_equal(tree->order_count, 100000);
	folded = calltree_fold(tree);
	assert_int_equal(folded->node_count, 50000);
	assert_int_equal(folded->nodes[0].recursion, 50000);
	calltree_free(folded);
	calltree_free(tree);
}

TEST(outermost_of_a_key)
{
	struct calltree *tree = recursive();
	uint32_t keys[16] = {0}, f = calltree_function(tree, 2);
	int64_t total_ns = 0;
	bool *outermost;

	for (uint32_t i = 0; i < tree->node_count; i++)
		keys[i] = tree->nodes[i].function;
	outermost = calltree_outermost(tree, keys, tree->function_count);
	for (uint32_t i = 0; i < tree->node_count; i++)
		if (keys[i] == f && outermost[i])
			total_ns += tree->nodes[i].total_ns;
	assert_int_equal(total_ns, 80);
	free(outermost);
	calltree_free(tree);
}

TEST(allocations_without_a_function)
{
	struct calltree *tree = calltree_new();

	add(tree, 1, 0, 1, 1, 0, 0); /* frame -> frame -> function -> frame; -> frame */
	add(tree, 2, 1, 1, 2, 0, 0);
	add(tree, 3, 2, 2, 4, 5, 5);
	add(tree, 4, 3, 1, 8, 0, 0);
	add(tree, 5, 2, 1, 16, 0, 0);
	add(tree, 6, 0, 2, 32, 5, 5); /* function -> frame -> frame */
	add(tree, 7, 6, 1, 64, 0, 0);
	add(tree, 8, 7, 1, 128, 0, 0);
	add(tree, 9, 0, 1, 256, 0, 0); /* frame */
	for (size_t i = 0; i < tree->node_count; i++)
		tree->nodes[i].is_frame = tree->nodes[i].total_ns == 0;
	calltree_link(tree);
	assert_float_equal(calltree_allocs_of_frames(tree), 1 + 2 + 16 + 256, 0);
	calltree_free(tree);
}

TEST(filters_follow_paths)
{
	struct calltree *tree = recursive();
	struct filter filter;
	char error[128];
	bool *passes;

	filter_init(&filter, "^f$", "g");
	assert_int_equal(filter_check(&filter, error, sizeof(error)), 0);
	assert_true(filter_passes_name(&filter, "f"));
	assert_false(filter_passes_name(&filter, "fg"));
	passes = filter_paths(&filter, tree, false);
	assert_false(passes[calltree_find(tree, 10)]);
	assert_true(passes[calltree_find(tree, 11)]);
	assert_true(passes[calltree_find(tree, 12)]);
	assert_false(passes[calltree_find(tree, 13)]);
	assert_false(passes[calltree_find(tree, 14)]);
	free(passes);
	passes = filter_paths(&filter, tree, true);
	assert_true(passes[calltree_find(tree, 10)]);
	free(passes);
	filter_init(&filter, NULL, "(");
	assert_true(filter_check(&filter, error, sizeof(error)) < 0);
	assert_non_null(strstr(error, "--ignore"));
	/* a name is one, whatever it is as an expression */
	filter_init(&filter, "main::{lambda#1}", "f[](int)");
	filter_learn(&filter, "main::{lambda#1}", NULL, NULL);
	filter_learn(&filter, "f", "f[](int)", NULL);
	filter_learn(&filter, "g", "g(int)", NULL);
	assert_int_equal(filter_check(&filter, error, sizeof(error)), 0);
	assert_true(filter_passes_name(&filter, "main::{lambda#1}"));
	assert_false(filter_passes_name(&filter, "g"));
	assert_int_equal(filter_judge(&filter, "f"), FILTER_IGNORED);
	calltree_free(tree);
}

/* f that calls itself is one node, g that it calls from within main stays another. */
TEST(own_calls_fold)
{
	struct calltree *tree = recursive(), *folded;
	uint32_t *places, f;

	folded = calltree_fold_own_calls(tree, &places);
	f = places[calltree_find(tree, 12)];
	assert_int_equal(folded->node_count, 4);
	assert_int_equal(places[calltree_find(tree, 11)], f);
	assert_int_equal(folded->nodes[f].path_id, 11);
	assert_int_equal(folded->nodes[f].self_ns, 60);
	assert_int_equal(folded->nodes[f].total_ns, 80);
	assert_int_equal(folded->nodes[places[calltree_find(tree, 13)]].parent, f);
	assert_int_not_equal(places[calltree_find(tree, 13)],
			     places[calltree_find(tree, 14)]);
	for (uint32_t i = 0; i < folded->order_count; i++)
		assert_int_equal(folded->order[i], i);
	free(places);
	calltree_free(folded);
	calltree_free(tree);
}

TEST(outermost_is_told_by_any_number)
{
	struct calltree *tree = recursive();
	uint32_t *numbers = calltree_numbers(tree);
	bool *flags;

	for (size_t i = 0; i < tree->node_count; i++)
		numbers[i] = tree->nodes[i].function;
	numbers[calltree_find(tree, 14)] = CALLTREE_NONE;
	flags = calltree_outermost(tree, numbers, tree->function_count);
	assert_true(flags[calltree_find(tree, 11)] && flags[calltree_find(tree, 13)]);
	assert_false(flags[calltree_find(tree, 12)] || flags[calltree_find(tree, 14)]);
	free(flags);
	free(numbers);
	calltree_free(tree);
}
