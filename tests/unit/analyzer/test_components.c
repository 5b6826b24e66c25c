/* SPDX-License-Identifier: MIT */
/* What this is: component maps, and call trees summed up by components. */
#include "common/json/component_map.h"
#include "analyzer/model/components.h"
#include "tests/unit/analyzer/cmocka_all.h"

#include <errno.h>
#include <string.h>

static struct component_map map;
static struct strbuf error;

static int parse(const char *text)
{
	component_map_free(&map);
	strbuf_reset(&error);
	return component_map_parse(&map, text, strlen(text), "map.json", &error);
}

static const char *find(const char *name, const char *module, const char *source)
{
	const char *component = component_map_find(&map, name, module, source);

	return component ? component : "none";
}

static void the_first_entry_that_fits_counts(void **state)
{
	(void)state;
	assert_int_equal(
		parse("{\"components\": ["
		      "{\"component\": \"json\", \"source\": \"src/json/*\"},"
		      "{\"component\": \"tests\", \"source\": \"*_test.c\", "
		      "\"function\": \"^test_\"},"
		      "{\"component\": \"net\", \"namespace\": \"acme::net\"},"
		      "{\"component\": \"codec\", \"module\": \"libavcodec.so*\"},"
		      "{\"component\": \"hash\", \"function\": \"^(sha|md)[0-9]+_\"}]}"),
		0);
	assert_string_equal(find("f", NULL, "/home/user/src/json/a/b.c"), "json");
	assert_string_equal(find("f", NULL, "src/json/b.c"), "json");
	assert_string_equal(find("f", NULL, "/home/mysrc/json/b.c"), "none");
	assert_string_equal(find("test_a", NULL, "/x/a_test.c"), "tests");
	assert_string_equal(find("a_test_a", NULL, "/x/a_test.c"), "none");
	assert_string_equal(find("acme::net::send(int)", NULL, NULL), "net");
	assert_string_equal(find("void acme::net::send<int>(int)", NULL, NULL), "net");
	assert_string_equal(find("acme::network(int)", NULL, NULL), "none");
	assert_string_equal(find("my_acme::net::f()", NULL, NULL), "none");
	assert_string_equal(find("f(acme::net::a)", NULL, NULL), "none");
	assert_string_equal(find("acme::net::a other::f<int>()", NULL, NULL), "none");
	assert_string_equal(find("acme::net::a<int>* other::f<int>()", NULL, NULL),
			    "none");
	assert_string_equal(find("other::a::operator acme::net::b() const", NULL, NULL),
			    "none");
	assert_string_equal(find("int (anonymous namespace)::f<int>()", NULL, NULL),
			    "none");
	assert_string_equal(find("acme::net::operator<<(int, acme::a)", NULL, NULL),
			    "net");
	assert_string_equal(find("acme::net::(anonymous namespace)::f()", NULL, NULL),
			    "net");
	assert_string_equal(
		find("std::vector<acme::a (*)(int)> acme::net::f<int>(int)", NULL, NULL),
		"net");
	assert_string_equal(find("acme::net::f(int)::{lambda(int)#1}::operator()(int) "
				 "const",
				 NULL, NULL),
			    "net");
	assert_string_equal(find("vtable for acme::net::a", NULL, NULL), "net");
	assert_string_equal(find("acme::net::f [clone .cold]", NULL, NULL), "net");
	assert_string_equal(find("int acme::net::my_operators::f<int>()", NULL, NULL),
			    "net");
	assert_string_equal(find("acme::net::operators::f", NULL, NULL), "net");
	assert_string_equal(find("acme::net", NULL, NULL), "none");
	assert_string_equal(find("", NULL, NULL), "none");
	assert_string_equal(find("non-virtual thunk to acme::net::a::f()", NULL, NULL),
			    "net");
	assert_string_equal(find("decode", "/usr/lib/libavcodec.so.59", NULL), "codec");
	assert_string_equal(find("decode", "/libavcodec.so/other", NULL), "none");
	assert_string_equal(find("sha256_round", "app", "x.c"), "hash");
}

static void entries_that_were_not_used_are_known(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"components\": ["
			       "{\"component\": \"a\", \"function\": \"^a\"},"
			       "{\"component\": \"mistyped\", \"function\": \"^A\"},"
			       "{\"component\": \"b\", \"function\": \"b\"},"
			       "{\"component\": \"taken\", \"function\": \"ab\"}]}"),
			 0);
	assert_int_equal(component_map_unused(&map, 0), 0);
	find("ab", NULL, NULL);
	find("b", NULL, NULL);
	find("c", NULL, NULL);
	assert_int_equal(component_map_unused(&map, 0), 1);
	assert_string_equal(component_map_name(&map, 1), "mistyped");
	assert_int_equal(component_map_unused(&map, 2), 3);
	assert_int_equal(component_map_unused(&map, 4), 4);
}

static void refuses(const char *text, const char *reason)
{
	assert_int_equal(parse(text), -EINVAL);
	assert_string_equal(strbuf_text(&error), reason);
}

static void errors_name_line_and_key(void **state)
{
	(void)state;
	refuses("{\"components\": [", "map.json:1: ']' expected near end of file");
	refuses("[]", "map.json:1: is not an object");
	refuses("{}", "map.json:1: has no components");
	refuses("{\n\"component\": []}",
		"map.json:2: component: is not known; the only key is components");
	refuses("{\"components\": {}}", "map.json:1: components: is not an array");
	refuses("{\"components\": [\n3]}", "map.json:2: components[0]: is not an object");
	refuses("{\"components\": [\n{\"function\": \"a\"}]}",
		"map.json:2: components[0]: has no component");
	refuses("{\"components\": [{\"component\": \"a\", \"module\": \"m\"},\n"
		"{\"component\": \"a\",\n\"module\": 7}]}",
		"map.json:3: components[1].module: is not a text");
	refuses("{\"components\": [{\"component\": \"\"}]}",
		"map.json:1: components[0].component: is empty");
	assert_int_equal(parse("{\"components\": [{\"component\": \"a\"}]}"), -EINVAL);
	assert_int_equal(parse("{\"components\": [{\"component\": \"a\", "
			       "\"function\": \"(\"}]}"),
			 -EINVAL);
	assert_non_null(strstr(strbuf_text(&error), "components[0].function: "));
}

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

static int release(void **state)
{
	(void)state;
	component_map_free(&map);
	strbuf_free(&error);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_entry_that_fits_counts),
		cmocka_unit_test(entries_that_were_not_used_are_known),
		cmocka_unit_test(errors_name_line_and_key),
		cmocka_unit_test(directories_and_namespaces_are_components),
		cmocka_unit_test(components_take_what_they_call),
		cmocka_unit_test(averages_are_of_outermost_calls),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
