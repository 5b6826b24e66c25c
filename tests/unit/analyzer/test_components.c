/* SPDX-License-Identifier: MIT */
/* What this is: names of components, and those of call paths. */
#include "analyzer/tree/components.h"
#include "tests/unit/tests.h"

#include <errno.h>

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

TEST(directories_and_namespaces_are_components)
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

/* main > parse > helper > parse > send; main > helper > strdup; strdup */
TEST(components_take_what_they_call)
{
	static const struct {
		const char *component, *module;
	} functions[] = {{NULL, "/bin/app"},
			 {"json", "app"},
			 {NULL, "tools"},
			 {"net", "app"},
			 {NULL, "libc.so.6"}};
	static const struct {
		int64_t parent, function;
		const char *component;
	} paths[] = {{0, 1, "app"},   {1, 2, "json"},	  {2, 3, "json"},
		     {3, 2, "json"},  {4, 4, "net"},	  {1, 3, "tools"},
		     {6, 5, "tools"}, {0, 5, "libc.so.6"}};
	struct calltree *tree = calltree_new();
	struct components components;

	for (int64_t i = 0; i < 5; i++) {
		struct calltree_function *function =
			calltree_add_function(tree, i + 1, "f");

		function->component = functions[i].component;
		function->module = functions[i].module;
		function->is_library = i == 4;
	}
	for (int64_t i = 0; i < 8; i++)
		calltree_add_path(tree, i + 1, paths[i].parent, paths[i].function);
	calltree_link(tree);
	components_find(&components, tree, COMPONENT_BY_MODULE);
	assert_int_equal(components.names.count, 5);
	for (int64_t i = 0; i < 8; i++)
		assert_string_equal(
			intern_name(&components.names,
				    components.paths[calltree_find(tree, i + 1)]),
			paths[i].component);
	calltree_free(tree);
}
