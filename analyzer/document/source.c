/* SPDX-License-Identifier: MIT */
/* Lists of files, their marks and lines. */
#include "analyzer/document/source.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

struct source_file *source_view_file(struct source_view *view, const char *recorded)
{
	for (size_t i = 0; i < view->file_count; i++)
		if (strcmp(view->files[i].recorded, recorded) == 0)
			return &view->files[i];
	view->files = xgrow(view->files, view->file_count, &view->file_capacity,
			    sizeof(*view->files));
	view->files[view->file_count] = (struct source_file){
		.recorded = arena_copy(&view->texts, recorded, strlen(recorded))};
	return &view->files[view->file_count++];
}

struct source_mark *source_file_mark(struct source_file *file, uint32_t line)
{
	file->marks = xgrow(file->marks, file->mark_count, &file->mark_capacity,
			    sizeof(*file->marks));
	file->marks[file->mark_count] = (struct source_mark){.line = line};
	return &file->marks[file->mark_count++];
}

void source_file_line(struct source_view *view, struct source_file *file, uint32_t number,
		      const char *text, size_t size)
{
	file->lines = xgrow(file->lines, file->line_count, &file->line_capacity,
			    sizeof(*file->lines));
	file->lines[file->line_count++] =
		(struct source_line){number, arena_copy(&view->texts, text, size)};
}

void source_view_free(struct source_view *view)
{
	if (!view)
		return;
	for (size_t i = 0; i < view->file_count; i++) {
		free(view->files[i].marks);
		free(view->files[i].lines);
	}
	free(view->files);
	arena_free(&view->texts);
	free(view);
}
