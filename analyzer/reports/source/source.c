/* SPDX-License-Identifier: MIT */
/*
 * Which lines of sources are shown, and what stands beside them: the functions with the
 * most self time where they begin, and the lines that allocated most. Must not show a
 * time at a line: it is known of functions only.
 */
#include "analyzer/reports/source/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/functions.h"
#include "analyzer/reports/sites.h"

#include "source.sql.h"

#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_MOST 20
#define LINES_MOST 30

/* What there is to show of one kind, and what is shown. */
struct shown {
	size_t count, total;
};

static void mark_function(struct source_view *view, const struct table *table, size_t row,
			  bool raw)
{
	const struct cell *file = table_cell(table, row, "file");
	const struct cell *self = table_cell(table, row, raw ? "raw_self_ns" : "self_ns");
	const struct cell *name = table_cell(table, row, "name");
	struct source_mark *mark =
		source_file_mark(source_view_file(view, file->text), file->line);

	mark->function = name->kind == CELL_TEXT ? arena_copy(&view->texts, name->text,
							      strlen(name->text))
						 : "?";
	mark->has_time = self->kind != CELL_NULL;
	mark->self_ns = cell_whole(self);
	if (!raw)
		mark->self_error_ns = cell_whole(table_cell(table, row, "self_error_ns"));
	mark->calls = cell_whole(table_cell(table, row, "calls"));
}

static bool has_line(const struct cell *file)
{
	return file->kind == CELL_TEXT && *file->text && file->line;
}

static enum exit_status add_functions(struct report_input *input,
				      const struct run_facts *facts,
				      struct source_view *view, struct shown *ret)
{
	const char *self = functions_hot_column(input, facts);
	struct table *table = functions_table(input, facts);

	if (!table)
		return STATUS_FAILED;
	table_sort(table, table_column(table, self), table_column(table, "name"));
	for (size_t i = 0; i < table->row_count; i++) {
		if (!has_line(table_cell(table, i, "file")) ||
		    !(cell_number(table_cell(table, i, self)) > 0))
			continue;
		if (ret->total++ >= FUNCTIONS_MOST)
			continue;
		mark_function(view, table, i, input->options->raw);
		ret->count++;
	}
	table_free(table);
	return STATUS_OK;
}

struct site_line {
	const char *file;
	uint32_t line;
	int64_t bytes, count;
};

static int by_place(const void *left, const void *right)
{
	const struct site_line *a = left, *b = right;
	int order = strcmp(a->file, b->file);

	return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int by_bytes(const void *left, const void *right)
{
	const struct site_line *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return by_place(left, right);
}

/* The sites of all paths of one line together. Owned by caller; texts the table's. */
static struct site_line *lines_of(const struct table *table, size_t *ret_count)
{
	struct site_line *lines = xcalloc(table->row_count + 1, sizeof(*lines));
	size_t count = 0, last = 0;

	for (size_t i = 0; i < table->row_count; i++) {
		const struct cell *file = table_cell(table, i, "file");

		/* where the line is not known it is the function's */
		if (has_line(file) && !file->is_definition)
			lines[count++] = (struct site_line){
				file->text, file->line,
				cell_whole(table_cell(table, i, "alloc_bytes")),
				cell_whole(table_cell(table, i, "alloc_count"))};
	}
	qsort(lines, count, sizeof(*lines), by_place);
	for (size_t i = 1; i < count; i++) {
		if (by_place(&lines[last], &lines[i]) != 0) {
			lines[++last] = lines[i];
			continue;
		}
		lines[last].bytes += lines[i].bytes;
		lines[last].count += lines[i].count;
	}
	*ret_count = count ? last + 1 : 0;
	return lines;
}

static enum exit_status add_sites(struct report_input *input,
				  const struct run_facts *facts,
				  const struct calltree *tree, struct source_view *view,
				  struct shown *ret)
{
	struct table *table = sites_table(input, facts, tree, false);
	struct site_line *lines;

	if (!table)
		return STATUS_FAILED;
	lines = lines_of(table, &ret->total);
	ret->count = ret->total < LINES_MOST ? ret->total : LINES_MOST;
	qsort(lines, ret->total, sizeof(*lines), by_bytes);
	for (size_t i = 0; i < ret->count; i++) {
		struct source_mark *mark = source_file_mark(
			source_view_file(view, lines[i].file), lines[i].line);

		mark->alloc_bytes = lines[i].bytes;
		mark->alloc_count = lines[i].count;
	}
	free(lines);
	table_free(table);
	return STATUS_OK;
}

static int64_t run_start_s(struct report_input *input)
{
	struct cursor *cursor = report_query(input, source_sql_start);
	int64_t start_s = 0;

	if (cursor_next(cursor) > 0)
		start_s = cursor_integer(cursor, "started_s");
	return report_finish(input, cursor) < 0 ? -1 : start_s;
}

static void add_texts(const struct source_tree *tree, struct source_view *view,
		      int64_t start_s)
{
	for (size_t i = 0; i < view->file_count; i++) {
		struct source_file *file = &view->files[i];
		struct source_text text = {0};

		file->trouble = source_tree_read(tree, file->recorded, &text);
		if (text.path.size)
			file->found = arena_copy(&view->texts, strbuf_text(&text.path),
						 text.path.size);
		if (!file->trouble) {
			file->is_newer = start_s > 0 && text.changed_s > start_s;
			source_add_lines(view, file, &text.text);
			if (!file->line_count)
				file->trouble = "too short: it has none of these lines";
		}
		source_text_free(&text);
	}
}

static void put_shown(struct strbuf *text, const struct shown *shown, const char *what,
		      const char *how)
{
	units_count(text, (int64_t)shown->count);
	strbuf_puts(text, " of ");
	units_counted(text, (int64_t)shown->total, what);
	strbuf_printf(text, " (%s)", how);
}

static void describe(struct source_view *view, const struct shown *functions,
		     const struct shown *lines, bool has_functions)
{
	struct strbuf text = {0};

	strbuf_puts(&text, "Asked for were ");
	if (has_functions) {
		put_shown(&text, functions, "function",
			  "those with most time, where they begin");
		strbuf_puts(&text, " and ");
	}
	put_shown(&text, lines, "allocating line", "those with most bytes");
	strbuf_puts(&text, ". ");
	if (has_functions)
		strbuf_puts(&text,
			    "A time is that of the whole function, not of its line. ");
	strbuf_puts(&text, "What a line allocated is exact, and the sum of all paths to "
			   "it. The recording does not say what stood in the files: "
			   "where they have changed since the program was built, lines "
			   "may not fit.");
	view->about = arena_copy(&view->texts, strbuf_text(&text), text.size);
	strbuf_free(&text);
}

enum exit_status source_add(struct report_input *input, struct doc *doc,
			    const struct run_facts *facts, const struct calltree *tree,
			    bool has_functions)
{
	struct shown functions = {0}, lines = {0};
	struct source_tree sources = {0};
	enum exit_status status;
	int64_t start_s;

	if (!input->options->source_count)
		return STATUS_OK;
	doc->source = xcalloc(1, sizeof(*doc->source));
	status = source_tree_open(input, &sources);
	if (status == STATUS_OK && has_functions)
		status = add_functions(input, facts, doc->source, &functions);
	if (status == STATUS_OK)
		status = add_sites(input, facts, tree, doc->source, &lines);
	start_s = status == STATUS_OK ? run_start_s(input) : 0;
	if (start_s < 0)
		status = STATUS_FAILED;
	if (status == STATUS_OK) {
		add_texts(&sources, doc->source, start_s);
		describe(doc->source, &functions, &lines, has_functions);
	}
	source_tree_close(&sources);
	return status;
}
