/* SPDX-License-Identifier: MIT */
/* The lines that sql/parts/source.sql asks for, with what stands beside them. */
#include "analyzer/reports/source/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/reports/engine/sections.h"

#include <string.h>

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
			source_add_lines(view, file, &text.text);
			if (!file->line_count)
				file->trouble = "too short: it has none of these lines";
		}
		source_text_free(&text);
	}
}

SECTION_CODE(source)
{
	struct source_tree sources = {0};
	enum exit_status status;
	const char *about;

	if (!rows->row_count)
		return STATUS_OK;
	doc->source = xcalloc(1, sizeof(*doc->source));
	about = table_cell(rows, 0, "about")->text;
	doc->source->about = arena_copy(&doc->source->texts, about, strlen(about));
	status = source_tree_open(ask->input, &sources);
	for (size_t i = 1; i < rows->row_count; i++)
		add_mark(doc->source, rows, i);
	if (status == STATUS_OK)
		add_texts(&sources, doc->source,
			  cell_whole(table_cell(rows, 0, "started_s")));
	source_tree_close(&sources);
	return status;
}
