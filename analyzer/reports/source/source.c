/* SPDX-License-Identifier: MIT */
/*
 * The lines that sql/parts/source.sql asks for, with the notes beside them. Must not
 * show more of a line than people read: a file of one line may be megabytes.
 */
#include "analyzer/reports/source/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/reports/engine/sections.h"

#include <stdlib.h>
#include <string.h>

#define BEFORE_FUNCTION 2
#define AFTER_FUNCTION 12
#define AROUND_SITE 3
#define LINE_SIZE 240 /* bytes shown of one */
#define TAB 4

static int by_line(const void *left, const void *right)
{
	const struct source_mark *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	/* a function comes before what its first line allocates */
	return !a->function - !b->function;
}

static bool is_near(const struct source_file *file, uint32_t number)
{
	for (size_t i = 0; i < file->mark_count; i++) {
		const struct source_mark *mark = &file->marks[i];
		int64_t away = (int64_t)number - mark->line;

		if (mark->function ? away >= -BEFORE_FUNCTION && away <= AFTER_FUNCTION
				   : away >= -AROUND_SITE && away <= AROUND_SITE)
			return true;
	}
	return false;
}

/* Tabs become blanks, because a page would show them as control characters. */
static void add_line(struct source_view *view, struct source_file *file, uint32_t number,
		     const char *text, size_t size)
{
	ended_by(strbuf_free) struct strbuf line = {0};

	size -= size && text[size - 1] == '\r';
	for (size_t i = 0; i < size && line.size < LINE_SIZE; i++) {
		if (text[i] == '\t')
			strbuf_repeat(&line, ' ', TAB - line.size % TAB);
		else
			strbuf_putc(&line, text[i]);
	}
	if (line.size >= LINE_SIZE) {
		/* not in the middle of a character */
		while (line.size && (line.data[line.size - 1] & 0xc0) == 0x80)
			strbuf_truncate(&line, line.size - 1);
		strbuf_truncate(&line, line.size - (line.size > 0));
		strbuf_puts(&line, "…");
	}
	source_file_line(view, file, number, strbuf_text(&line), line.size);
}

/* Adds the lines around the file's marks, and sorts the marks by line. */
static void add_lines(struct source_view *view, struct source_file *file,
		      const struct strbuf *text)
{
	const char *at = strbuf_text(text), *end = at + text->size;

	qsort(file->marks, file->mark_count, sizeof(*file->marks), by_line);
	for (uint32_t number = 1; at < end; number++) {
		const char *next = memchr(at, '\n', (size_t)(end - at));

		next = next ? next : end;
		if (is_near(file, number))
			add_line(view, file, number, at, (size_t)(next - at));
		at = next + (next < end);
	}
}

static void add_mark(struct source_view *view, const struct table *rows, size_t row)
{
	const struct cell *function = table_cell(rows, row, "function");
	const struct cell *self = table_cell(rows, row, "self_ns");
	struct source_mark *mark = source_file_mark(
		source_view_file(view, table_cell(rows, row, "file")->text),
		(uint32_t)cell_whole(table_cell(rows, row, "line")));

	if (function->kind == CELL_TEXT)
		mark->function =
			arena_copy(&view->texts, function->text, strlen(function->text));
	mark->has_time = self->kind != CELL_NULL;
	mark->self_ns = cell_whole(self);
	mark->self_error_ns = cell_whole(table_cell(rows, row, "self_error_ns"));
	mark->calls = cell_whole(table_cell(rows, row, "calls"));
	mark->alloc_bytes = cell_whole(table_cell(rows, row, "alloc_bytes"));
	mark->alloc_count = cell_whole(table_cell(rows, row, "alloc_count"));
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
			add_lines(view, file, &text.text);
			if (!file->line_count)
				file->trouble = "too short: it has none of these lines";
		}
	}
}

SECTION_CODE(source)
{
	struct source_tree sources = {0};
	const char *about;

	if (!rows->row_count)
		return;
	doc->source = xcalloc(1, sizeof(*doc->source));
	about = table_cell(rows, 0, "about")->text;
	doc->source->about = arena_copy(&doc->source->texts, about, strlen(about));
	source_tree_open(ask->input, &sources);
	for (size_t i = 1; i < rows->row_count; i++)
		add_mark(doc->source, rows, i);
	add_texts(&sources, doc->source, cell_whole(table_cell(rows, 0, "started_s")));
}
