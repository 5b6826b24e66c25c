/* SPDX-License-Identifier: MIT */
/* What this is: names of components, and call trees summed up by components. */
#include "analyzer/tree/components.h"
#include "tests/unit/analyzer/cmocka_all.h"

#include <errno.h>
#include <string.h>

static const char *const files[] = {"/src/app/main.c", "/src/app/json/a/read.c",
				    "/src/app/json/write.c", NULL};

static void put(enum component_by by, size_t file_count, const char *function,
		const char *file, const char *expected)
{
	struct component_namer namer = {.by = by};
	struct strbuf text = {0};

	for (size_t i = 0; i < file_count; i++)
		component_namer_see(&namer, files[i]);
	assert_int_equal(component_namer_put(&namer, function, file, &text),
			 expected != NULL);
	assert_string_equal(strbuf_text(&text), expected ? expected : "");
	strbuf_free(&text);
}

static void directories_and_namespaces_are_components(void **state)
{
	static const struct {
		const char *function, *expected;
	} names[] = {
		{"acme::net::send(int)", "acme::net"},
		{"void acme::Queue<int>::push<char>(char)", "acme::Queue<int>"},
		{"f(acme::net::a)", NULL},
		{"acme::net::a f<int>()", NULL},
		{"acme::net::operator<<(int, acme::a)", "acme::net"},
		{"acme::(anonymous namespace)::f()", "acme::(anonymous namespace)"},
		{"main", NULL},
		{"", NULL},
	};

	(void)state;
	put(COMPONENT_BY_SOURCE, 4, "f", files[0], "app");
	put(COMPONENT_BY_SOURCE, 4, "f", files[1], "json/a");
	put(COMPONENT_BY_SOURCE, 4, "f", files[2], "json");
	put(COMPONENT_BY_SOURCE, 4, "f", NULL, NULL);
	put(COMPONENT_BY_SOURCE, 0, "f", "a.c", ".");
	put(COMPONENT_BY_SOURCE, 0, "f", "/a.c", "/");
	put(COMPONENT_BY_SOURCE, 0, "f", "x/\xff/a.c", "x/\xef\xbf\xbd");
	put(COMPONENT_BY_MODULE, 4, "a::f()", files[1], NULL);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		put(COMPONENT_BY_NAMESPACE, 0, names[i].function, files[0],
		    names[i].expected);
}

static uint32_t number_of(const struct components *components, const char *name)
{
	uint32_t number = intern_find(&components->names, name);

	assert_int_not_equal(number, INTERN_NONE);
	return number;
}

static void add(struct calltree *tree, int64_t path, int64_t parent, int64_t function,
		int64_t calls, int64_t total_ns, int64_t self_ns)
{
	struct calltree_node *node = calltree_add_path(tree, path, parent, function);

	node->calls = calls;
	node->total_ns = total_ns;
	node->self_ns = self_ns;
	node->alloc_count = calls;
	node->alloc_bytes = 10 * calls;
}

/* main > parse > helper > parse > send; main > helper > strdup; strdup */
static void components_take_what_they_call(void **state)
{
	static const struct components_function functions[] = {{NULL, "app", false},
							       {"json", "app", false},
							       {NULL, "tools", false},
							       {"net", "app", false},
							       {NULL, "libc.so.6", true}};
	struct calltree *tree = calltree_new();
	struct components sums;
	const struct component_total *total;
	const struct component_edge *edge;

	(void)state;
	for (int64_t i = 1; i <= 5; i++)
		calltree_add_function(tree, i, "f");
	add(tree, 1, 0, 1, 1, 100, 10);
	add(tree, 2, 1, 2, 5, 80, 20);
	add(tree, 3, 2, 3, 5, 60, 30);
	add(tree, 4, 3, 2, 2, 30, 10);
	add(tree, 5, 4, 4, 7, 20, 20);
	add(tree, 6, 1, 3, 3, 10, 9);
	add(tree, 7, 6, 5, 1, 1, 1);
	add(tree, 8, 0, 5, 1, 1, 1);
	calltree_link(tree);
	components_sum(&sums, tree, functions);
	assert_int_equal(sums.names.count, 5);
	total = &sums.totals[number_of(&sums, "json")];
	assert_int_equal(total->calls, 12);
	assert_int_equal(total->entries, 5);
	assert_int_equal(total->total_ns, 80);
	assert_int_equal(total->self_ns, 60);
	assert_int_equal(total->alloc_bytes, 120);
	assert_int_equal(total->function_count, 2);
	assert_int_equal(sums.totals[number_of(&sums, "tools")].self_ns, 10);
	assert_int_equal(sums.totals[number_of(&sums, "libc.so.6")].path_count, 1);
	assert_int_equal(sums.totals[number_of(&sums, "app")].total_ns, 100);
	assert_int_equal(sums.totals[number_of(&sums, "net")].entries, 7);
	assert_int_equal(sums.edge_count, 3);
	edge = &sums.edges[1];
	assert_int_equal(edge->caller, number_of(&sums, "json"));
	assert_int_equal(edge->callee, number_of(&sums, "net"));
	assert_int_equal(edge->calls, 7);
	assert_int_equal(edge->total_ns, 20);
	components_free(&sums);
	calltree_free(tree);
}

/* a > b > a > b, 10 times into the first b, 1000 times back and forth below it. */
static void averages_are_of_outermost_calls(void **state)
{
	static const struct components_function functions[] = {{"a", "app", false},
							       {"b", "app", false}};
	struct calltree *tree = calltree_new();
	const struct component_total *total;
	struct components sums;

	(void)state;
	calltree_add_function(tree, 1, "a");
	calltree_add_function(tree, 2, "b");
	add(tree, 1, 0, 1, 1, 5000, 100);
	add(tree, 2, 1, 2, 10, 4900, 900);
	add(tree, 3, 2, 1, 1000, 4000, 3000);
	add(tree, 4, 3, 2, 1000, 1000, 1000);
	calltree_link(tree);
	components_sum(&sums, tree, functions);
	total = &sums.totals[number_of(&sums, "b")];
	assert_int_equal(total->entries, 1010);
	assert_int_equal(total->total_ns, 4900);
	assert_int_equal(total->outermost, 10);
	assert_int_equal(sums.totals[number_of(&sums, "a")].outermost, 1);
	assert_int_equal(sums.edges[0].calls, 1010);
	assert_int_equal(sums.edges[0].outermost, 10);
	components_free(&sums);
	calltree_free(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directories_and_namespaces_are_components),
		cmocka_unit_test(components_take_what_they_call),
		cmocka_unit_test(averages_are_of_outermost_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
