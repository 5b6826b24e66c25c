/* SPDX-License-Identifier: MIT */
/*
 * Source lines with what was measured on them, by file. Must not know where files are,
 * or formats.
 */
#pragma once

#include "common/base/xalloc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A mark of one line: a function that begins there, or what the line allocated. */
struct source_mark {
	uint32_t line;
	const char *function; /* NULL: the line allocated */
	bool has_time;
	int64_t self_ns, self_error_ns, calls;
	int64_t alloc_bytes, alloc_count;
};

struct source_line {
	uint32_t number;
	const char *text;
};

struct source_file {
	const char *recorded;	   /* its name in the recording */
	const char *found;	   /* the file that was taken for it; NULL: none */
	const char *trouble;	   /* why its lines are missing; NULL: they are there */
	bool is_newer;		   /* changed after the run began */
	struct source_mark *marks; /* sorted by line once lines are read */
	size_t mark_count;
	struct source_line *lines; /* ascending, with gaps */
	size_t line_count;
};

struct source_view {
	const char *about; /* sentences on what is shown and what was left out */
	struct source_file *files;
	size_t file_count;
	struct arena texts; /* not cleaned */
};

/* The file of this recorded name, created if needed; borrowed until the next call. */
struct source_file *source_view_file(struct source_view *view, const char *recorded);
/* A new mark, borrowed until the next. */
struct source_mark *source_file_mark(struct source_file *file, uint32_t line);
/* Copies the text of size bytes. */
void source_file_line(struct source_view *view, struct source_file *file, uint32_t number,
		      const char *text, size_t size);
void source_view_free(struct source_view *view);
