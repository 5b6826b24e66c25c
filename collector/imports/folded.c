/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks, as stackcollapse-perf.pl, inferno, py-spy and others write them:
 * "main;parse;next_token 1234". Names may have blanks, the number stands behind the last.
 */
#include "collector/imports/formats.h"

#include "common/base/utf8.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* All stacks together, so that a file cannot make itself expensive. */
#define FRAMES_MOST (1u << 27)

struct reading {
	struct builder *builder;
	const struct import_unit *unit;
	struct strbuf name;
	uint64_t frame_count;
	char *error;
	size_t error_size;
};

static int refuse(const struct reading *reading, size_t line, const char *why)
{
	snprintf(reading->error, reading->error_size, "line %zu: %s", line, why);
	return -EBADMSG;
}

/* The number at the end of the line, which ends before it then. */
static int take_number(struct reading *reading, char *line, size_t number, int64_t *ret)
{
	char *blank = strrchr(line, ' ');
	int64_t value = 0;

	if (!blank || !blank[1] || blank == line)
		return refuse(reading, number,
			      "has no number behind its stack; these are no folded "
			      "stacks (main;parse;read 123)");
	if (blank[1] == '-')
		return refuse(reading, number,
			      "has a negative number; a difference of two profiles "
			      "cannot be imported");
	for (const char *at = blank + 1; *at; at++) {
		if (*at < '0' || *at > '9')
			return refuse(reading, number,
				      "has something else than a whole number behind its "
				      "stack");
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *at - '0', &value))
			return refuse(reading, number, "has too large a number");
	}
	if (__builtin_mul_overflow(value, reading->unit->scale, ret))
		return refuse(reading, number, "has too large a number");
	*blank = 0;
	return 0;
}

static int take_stack(struct reading *reading, char *stack, size_t number,
		      uint32_t *ret_path)
{
	uint32_t path = 0;
	char *next;

	for (char *frame = stack; frame; frame = next) {
		struct builder_function function = {0};

		next = strchr(frame, ';');
		if (next)
			*next++ = 0;
		if (reading->frame_count++ == FRAMES_MOST)
			return refuse(reading, number,
				      "all stacks together have more than 134 million "
				      "frames, which is the limit");
		strbuf_reset(&reading->name);
		/* ";;" is of a name that could not be found */
		utf8_repair(&reading->name, *frame ? frame : "?");
		function.name = strbuf_text(&reading->name);
		path = builder_path(reading->builder, path,
				    builder_function(reading->builder, &function));
	}
	*ret_path = path;
	return 0;
}

static int take_line(struct reading *reading, char *line, size_t number)
{
	int64_t values[BUILDER_VALUES] = {0}, value;
	uint32_t path;
	int result = take_number(reading, line, number, &value);

	if (result == 0)
		result = take_stack(reading, line, number, &path);
	if (result < 0)
		return result;
	if (reading->unit->value == BUILDER_SAMPLES) {
		values[BUILDER_SAMPLES] = value / reading->unit->scale;
		values[BUILDER_WALL] = value;
	} else {
		values[reading->unit->value] = value;
	}
	builder_add(reading->builder, path, values, 0, SEGMENT_RECORDING_EXACT);
	return 0;
}

static int read_lines(struct reading *reading, struct source *source)
{
	char *at = source->data, *end = source->data + source->size;
	int result = 0;

	if (memchr(source->data, 0, source->size)) {
		snprintf(reading->error, reading->error_size,
			 "is no text, so it has no folded stacks");
		return -EBADMSG;
	}
	for (size_t number = 1; at < end && result == 0; number++) {
		char *line = at, *newline = memchr(at, '\n', (size_t)(end - at));

		at = newline ? newline + 1 : end;
		line[strcspn(line, "\r\n")] = 0;
		/* comments as flamegraph.pl knows them */
		if (*line && *line != '#')
			result = take_line(reading, line, number);
	}
	return result;
}

static int read_folded(struct builder *builder, struct source *source,
		       const struct import_unit *unit, struct import_head *ret,
		       char *error, size_t error_size)
{
	struct reading reading = {.builder = builder,
				  .unit = unit,
				  .error = error,
				  .error_size = error_size};
	int result;

	(void)ret;
	if (unit->value == BUILDER_SAMPLES)
		builder->sample_ns = unit->scale;
	result = read_lines(&reading, source);
	strbuf_free(&reading.name);
	return result;
}

const struct import_format import_folded = {
	.name = "folded", .needs_unit = true, .read = read_folded};
