/* SPDX-License-Identifier: MIT */
/*
 * Finds the line of something in a JSON text, and names it in a sentence. Jansson only
 * knows the lines of syntax errors.
 */
#pragma once

#include <jansson.h>
#include <stddef.h>

struct json_source {
	const char *text;
	size_t size;
	const char *name; /* of the file */
};

/* Parses the text, or ends the command with the line of what is no JSON. */
json_t *json_read(const struct json_source *source);

/* The line of what the steps lead to from the outermost value, as far as they can be
 * followed. A step is a key, or "[2]" for the third element of an array. The text was
 * parsed without errors. */
size_t json_place_line(const char *text, size_t size, const char *const *steps,
		       size_t count);

/* Ends the command with "FILE:LINE: rules.T0.limits: WHY". */
_Noreturn void json_refuse(const struct json_source *source, const char *const *steps,
			   size_t count, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
