/* SPDX-License-Identifier: MIT */
/* What this is: formats: escapes, widths, what each leaves out. */
#include "common/base/text.h"
#include "analyzer/render/render.h"
#include "tests/unit/tests.h"

#include <jansson.h>

extern const struct renderer renderer_csv, renderer_json, renderer_md, renderer_text;

static const struct column columns[] = {
	{"total_ns", "total", COLUMN_NSEC, 0},
	{"label", "function", COLUMN_NAME, COLUMN_HUMAN},
	{"name", NULL, COLUMN_NAME, COLUMN_MACHINE},
	{"file", "where", COLUMN_LOCATION, 0},
	{"path", "path", COLUMN_CHAIN, COLUMN_DETAIL},
	{"depth", NULL, COLUMN_COUNT, COLUMN_MACHINE},
};

static void add_row(struct table *table, int64_t ns, const char *name, int64_t depth)
{
	struct cell *row = table_add_row(table);

	row[0] = cell_integer(ns);
	row[1] = row[2] = table_text(table, name);
	row[3] = table_text(table, "/src/a|b.c");
	row[3].line = 3;
	row[4] = table_text(table, "main\x1f"
				   "f<a, b>(\"x\")");
	row[5] = cell_integer(depth);
}

static void make(struct doc *doc)
{
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	struct section *section;

	doc_init(doc, "test");
	doc_note(doc, "hint", NOTE_WARNING, "A note with \"quotes\".", "Do something.");
	section = doc_values(doc, "facts", "Facts");
	doc_add(section, "wall_ns", "wall", COLUMN_NSEC, cell_integer(1500));
	doc_add_human(doc, section, "people", "for people");
	doc_add_machine(section, "machine", COLUMN_COUNT, cell_integer(1));
	add_row(table, 1000, "main", 1);
	add_row(table, 900, "f<a, b>(\"x\", `|`)\033[31m\xff", 2);
	add_row(table, 5, "leaf", 3);
	add_row(table, 50, "second", 2);
	section = doc_table(doc, "tree", "Tree", table);
	section->flags = SECTION_MAIN;
	section->depth_column = "depth";
	section->footer = "3 of 9 shown";
	section->total_row_count = 9;
}

/* Owned by caller. */
static char *draw(const struct renderer *renderer, struct doc *doc, size_t width,
		  bool color)
{
	struct render_context context = {.width = width, .color = color};
	char *text = NULL;
	size_t size;

	context.out = open_memstream(&text, &size);
	render_document(renderer, doc, &context);
	fclose(context.out);
	return text;
}

TEST(json_is_whole)
{
	struct doc doc;
	json_error_t error;
	json_t *root, *rows;
	char *text;

	make(&doc);
	text = draw(&renderer_json, &doc, 80, false);
	root = json_loads(text, 0, &error);
	assert_non_null(root);
	assert_int_equal(json_integer_value(json_object_get(root, "schema_version")), 1);
	assert_string_equal(json_string_value(json_object_get(root, "report")), "test");
	rows = json_object_get(root, "tree");
	assert_int_equal(json_array_size(rows), 4);
	rows = json_array_get(rows, 1);
	assert_int_equal(json_integer_value(json_object_get(rows, "total_ns")), 900);
	assert_string_equal(json_string_value(json_object_get(rows, "name")),
			    "f<a, b>(\"x\", `|`)\033[31m\xef\xbf\xbd");
	assert_null(json_object_get(rows, "label"));
	assert_string_equal(json_string_value(json_object_get(rows, "file")),
			    "/src/a|b.c");
	assert_int_equal(json_integer_value(json_object_get(rows, "line")), 3);
	assert_int_equal(json_array_size(json_object_get(rows, "path")), 2);
	rows = json_object_get(root, "facts");
	assert_int_equal(json_object_size(rows), 2);
	rows = json_object_get(json_object_get(root, "omitted"), "tree");
	assert_int_equal(json_integer_value(json_object_get(rows, "row_count")), 9);
	assert_int_equal(json_array_size(json_object_get(root, "notes")), 1);
	json_decref(root);
	free(text);
	doc_free(&doc);
}

TEST(csv_quotes)
{
	struct doc doc;
	char *text;

	make(&doc);
	text = draw(&renderer_csv, &doc, 80, false);
	assert_non_null(strstr(text, "total_ns,name,file,line,path,depth\r\n"));
	assert_non_null(strstr(
		text, "\r\n5,leaf,/src/a|b.c,3,\"main;f<a, b>(\"\"x\"\")\",3\r\n"));
	free(text);
	doc_free(&doc);
}

TEST(markdown_keeps_its_tables)
{
	struct doc doc;
	char *text;

	make(&doc);
	text = draw(&renderer_md, &doc, 80, false);
	assert_non_null(strstr(text, "| total | function | where | path |\n"
				     "|---:|:---|:---|:---|\n"));
	assert_non_null(strstr(text, "`` f<a, b>(\"x\", `\\|`)?[31m\xef\xbf\xbd ``"));
	assert_non_null(strstr(text, "`/src/a\\|b.c:3`"));
	free(text);
	doc_free(&doc);
}

static void check_widths(const char *text, size_t width)
{
	while (*text) {
		size_t size = strcspn(text, "\n");
		char line[4096];

		assert_true(size < sizeof(line));
		memcpy(line, text, size);
		line[size] = '\0';
		assert_true(utf8_width(line) <= width);
		text += size + (text[size] == '\n');
	}
}

/* Labels, names and paths of a recording stand in notes and titles, too. */
TEST(markdown_is_text_everywhere)
{
	double *points = calloc(2, sizeof(*points));
	struct section *section;
	struct doc doc;
	char *text;

	doc_init(&doc, "test");
	doc_note(&doc, "hint", NOTE_PLAIN, "of '\xff\033[1m<b>'", NULL);
	section = doc_plot(&doc, "plot", "<img src=x>*", COLUMN_COUNT, points, 2);
	section->peak = section->span_ns = 1;
	section = doc_values(&doc, "facts", NULL);
	doc_add(section, "none", "none", COLUMN_NAME,
		(struct cell){.kind = CELL_TEXT, .text = ""});
	doc_add(section, "ticks", "ticks", COLUMN_NAME,
		(struct cell){.kind = CELL_TEXT, .text = "a``b"});
	text = draw(&renderer_md, &doc, 80, false);
	assert_non_null(strstr(text, "> of '\xef\xbf\xbd?\\[1m\\<b\\>'\n"));
	assert_non_null(strstr(text, "**\\<img src=x\\>\\***"));
	assert_non_null(strstr(text, "**none**: `\"\"`\n"));
	assert_non_null(strstr(text, "**ticks**: ``` a``b ```\n"));
	free(text);
	doc_free(&doc);
}

TEST(text_stays_in_its_width)
{
	struct doc doc;

	make(&doc);
	for (size_t width = 60; width < 130; width++) {
		char *text = draw(&renderer_text, &doc, width, false);

		assert_null(strchr(text, '\033'));
		check_widths(text, width);
		free(text);
	}
	doc_free(&doc);
}

TEST(text_draws_trees)
{
	struct doc doc;
	char *text;

	make(&doc);
	text = draw(&renderer_text, &doc, 100, false);
	assert_non_null(strstr(text, "\n 900ns  |-f<a, b>"));
	assert_non_null(strstr(text, "\n   5ns  |`-leaf"));
	assert_non_null(strstr(text, "\n  50ns  `-second"));
	assert_non_null(strstr(text, "3 of 9 shown\n"));
	assert_non_null(strstr(text, "    main -> f<a, b>(\"x\")\n"));
	free(text);
	text = draw(&renderer_text, &doc, 100, true);
	assert_non_null(strstr(text, "\033[1mTree"));
	assert_null(strstr(text, "\033[31m"));
	free(text);
	doc_free(&doc);
}

TEST(empty_documents_are_fine)
{
	struct doc doc;

	doc_init(&doc, "empty");
	doc_table(&doc, "rows", NULL, table_new(columns, 1))->flags = SECTION_MAIN;
	for (size_t i = 0; i < renderer_registry_count; i++)
		free(draw(renderer_registry[i], &doc, 80, false));
	doc_free(&doc);
}
