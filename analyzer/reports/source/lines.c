/* SPDX-License-Identifier: MIT */
/*
 * The lines around what was measured. Must not show more of a line than people read: a
 * file of one line may be megabytes.
 */
#include "analyzer/reports/source/parts.h"

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
	/* a function stands in front of what its first line allocates */
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

/* Tabs become blanks: on a page they would be control characters. */
static void add_line(struct source_view *view, struct source_file *file, uint32_t number,
		     const char *text, size_t size)
{
	struct strbuf line = {0};

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
	strbuf_free(&line);
}

void source_add_lines(struct source_view *view, struct source_file *file,
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
