/* SPDX-License-Identifier: MIT */
/* Lists of files, their marks and lines. */
#include "analyzer/document/source.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

struct source_file *source_view_file(struct source_view *view, const char *recorded)
{
	struct source_file *file;

	for (size_t i = 0; i < view->file_count; i++)
		if (strcmp(view->files[i].recorded, recorded) == 0)
			return &view->files[i];
	file = &ARRAY_ADD(view->files, view->file_count);
	file->recorded = arena_copy(&view->texts, recorded, strlen(recorded));
	return file;
}

struct source_mark *source_file_mark(struct source_file *file, uint32_t line)
{
	struct source_mark *mark = &ARRAY_ADD(file->marks, file->mark_count);

	mark->line = line;
	return mark;
}

void source_file_line(struct source_view *view, struct source_file *file, uint32_t number,
		      const char *text, size_t size)
{
	ARRAY_ADD(file->lines, file->line_count) =
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
