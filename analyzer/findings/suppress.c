/* SPDX-License-Identifier: MIT */
/*
 * Parses and matches leak suppressions. Must not backtrack over more than one '*':
 * patterns come from users.
 */
#include "analyzer/findings/suppress.h"

#include "common/base/command.h"
#include "common/base/xalloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "leak:";

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static _Noreturn void refuse(const char *name, size_t line, const char *why)
{
	command_fail(STATUS_USAGE, "%s:%zu: %s", name, line, why);
}

static void parse_line(struct suppressions *suppressions, const char *text, size_t size,
		       const char *name, size_t line)
{
	size_t prefix_size = sizeof(prefix) - 1;

	while (size && is_space(*text))
		text++, size--;
	while (size && is_space(text[size - 1]))
		size--;
	if (!size || *text == '#')
		return;
	if (memchr(text, '\0', size))
		refuse(name, line, "is not text");
	if (!memchr(text, ':', size))
		refuse(name, line, "is not a suppression; lines are leak:PATTERN");
	if (size < prefix_size || memcmp(text, prefix, prefix_size) != 0)
		refuse(name, line,
		       "suppresses something else than leaks; lines are "
		       "leak:PATTERN");
	if (size == prefix_size)
		refuse(name, line, "has no pattern after 'leak:'");
	ARRAY_ADD(suppressions->list, suppressions->count) = (struct suppression){
		.pattern = xstrndup(text + prefix_size, size - prefix_size)};
}

void suppressions_parse(struct suppressions *suppressions, const char *text, size_t size,
			const char *name)
{
	for (size_t line = 1; size; line++) {
		const char *end = memchr(text, '\n', size);
		size_t length = end ? (size_t)(end - text) : size;

		parse_line(suppressions, text, length, name, line);
		length += end != NULL;
		text += length;
		size -= length;
	}
}

/* Matches a pattern that is held at both ends. Only the latest '*' needs to be retried:
 * earlier ones have matched as little as possible. */
static bool matches(const char *pattern, const char *pattern_end, const char *text)
{
	const char *star = NULL, *resume = NULL;

	while (*text || pattern < pattern_end) {
		if (pattern < pattern_end && *pattern == '*') {
			star = ++pattern;
			resume = text;
		} else if (pattern < pattern_end && *text && *pattern == *text) {
			pattern++;
			text++;
		} else if (star && *resume) {
			pattern = star;
			text = ++resume;
		} else {
			return false;
		}
	}
	return true;
}

static bool finds(const char *pattern, const char *text)
{
	ended_by(strbuf_free) struct strbuf whole = {0};
	bool held_start = *pattern == '^';
	size_t size = strlen(pattern += held_start);
	bool held_end = size && pattern[size - 1] == '$';

	if (!held_start)
		strbuf_putc(&whole, '*');
	strbuf_add(&whole, pattern, size - held_end);
	if (!held_end)
		strbuf_putc(&whole, '*');
	return matches(strbuf_text(&whole), strbuf_text(&whole) + whole.size, text);
}

size_t suppressions_find(const struct suppressions *suppressions, const char *text)
{
	for (size_t i = 0; text && i < suppressions->count; i++)
		if (finds(suppressions->list[i].pattern, text))
			return i;
	return SUPPRESS_NONE;
}
