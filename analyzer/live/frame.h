/* SPDX-License-Identifier: MIT */
/*
 * One picture of what is watched, as lines of text that are safe to print and no wider
 * than asked for. Must not know where they go.
 */
#pragma once

#include "analyzer/live/screen.h"

struct frame_style {
	size_t width, height; /* height 0: as many lines as there are rows */
	size_t rows_most;     /* of the table */
	bool utf8;
	const char *message; /* a line of its own; NULL: none */
	unsigned every_ms;   /* between two looks */
	bool is_frozen;
};

struct frame {
	char **lines;
	size_t line_count;
	size_t head_count; /* lines before the table's header */
	size_t first_row;  /* the line of the first row */
	uint32_t *paths;   /* into which the rows are zoomed; 0: none */
	size_t row_count;
};

/* Free with frame_done(). */
void frame_make(struct frame *ret, const struct live *live,
		const struct frame_style *style);
void frame_done(struct frame *frame);
