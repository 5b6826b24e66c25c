/* SPDX-License-Identifier: MIT */
/*
 * Suppressions in LeakSanitizer's format: memory that is known to stay live. Must not
 * read files, or know what the texts are.
 *
 *     # a comment
 *     leak:PATTERN
 *
 * PATTERN is searched anywhere in a text. '*' matches anything; '^' at the start and '$'
 * at the end tie it to the text's start and end. Space around a line is ignored.
 */
#pragma once

#include "common/base/text.h"

#include <stdint.h>

#define SUPPRESS_NONE SIZE_MAX

struct suppression {
	char *pattern;
};

/* Zeroed: suppresses nothing. */
struct suppressions {
	struct suppression *list;
	size_t count;
};

/* Adds the suppressions of a text, or ends the command with the first malformed line.
 * name: the file's. */
void suppressions_parse(struct suppressions *suppressions, const char *text, size_t size,
			const char *name);

/* The index of the first suppression that matches text, or SUPPRESS_NONE. NULL matches
 * nothing. */
size_t suppressions_find(const struct suppressions *suppressions, const char *text);
