/* SPDX-License-Identifier: MIT */
/*
 * Walks over well-formed JSON text. Must not read beyond the text, whatever is in it.
 */
#include "analyzer/findings/json_place.h"

#include "common/base/command.h"
#include "common/base/xalloc.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
	const char *at, *end;
};

static void skip_space(struct walk *walk)
{
	while (walk->at < walk->end && strchr(" \t\r\n,:", *walk->at) && *walk->at)
		walk->at++;
}

/* Skips the string that begins here. Returns what is between its quotes. */
static const char *skip_string(struct walk *walk, size_t *ret_size)
{
	const char *start = ++walk->at;

	while (walk->at < walk->end && *walk->at != '"')
		walk->at += *walk->at == '\\' && walk->at + 1 < walk->end ? 2 : 1;
	*ret_size = (size_t)(walk->at - start);
	if (walk->at < walk->end)
		walk->at++;
	return start;
}

static void skip_value(struct walk *walk)
{
	size_t depth = 0, size;

	while (walk->at < walk->end) {
		switch (*walk->at) {
		case '"':
			skip_string(walk, &size);
			break;
		case '{':
		case '[':
			depth++;
			walk->at++;
			break;
		case '}':
		case ']':
			if (depth == 0)
				return;
			depth--;
			walk->at++;
			break;
		case ',':
			if (depth == 0)
				return;
			walk->at++;
			break;
		default:
			walk->at++;
		}
		if (depth == 0 && walk->at < walk->end && strchr("}],", walk->at[0]))
			return;
	}
}

/* Goes to the value of a key; ret_place: where the key is. */
static bool enter_key(struct walk *walk, const char *key, const char **ret_place)
{
	size_t wanted = strlen(key), size;

	walk->at++;
	skip_space(walk);
	while (walk->at < walk->end && *walk->at == '"') {
		const char *place = walk->at, *text = skip_string(walk, &size);

		skip_space(walk);
		if (size == wanted && memcmp(text, key, size) == 0) {
			*ret_place = place;
			return true;
		}
		skip_value(walk);
		skip_space(walk);
	}
	return false;
}

static bool enter_element(struct walk *walk, unsigned long number, const char **ret_place)
{
	walk->at++;
	skip_space(walk);
	while (walk->at < walk->end && *walk->at != ']' && number-- > 0) {
		skip_value(walk);
		skip_space(walk);
	}
	*ret_place = walk->at;
	return walk->at < walk->end && *walk->at != ']';
}

size_t json_place_line(const char *text, size_t size, const char *const *steps,
		       size_t count)
{
	struct walk walk = {text, text + size};
	const char *place;
	size_t line = 1;
	bool found = true;

	skip_space(&walk);
	place = walk.at;
	for (size_t i = 0; i < count && found && walk.at < walk.end; i++) {
		if (*walk.at == '[' && *steps[i] == '[')
			found = enter_element(&walk, strtoul(steps[i] + 1, NULL, 10),
					      &place);
		else
			found = *walk.at == '{' && enter_key(&walk, steps[i], &place);
	}
	for (const char *at = text; at < place && at < walk.end; at++)
		line += *at == '\n';
	return line;
}

void json_refuse(const struct json_source *source, const char *const *steps, size_t count,
		 const char *format, ...)
{
	struct strbuf place = {0};
	va_list arguments;
	char *why;

	for (size_t i = 0; i < count; i++)
		strbuf_printf(&place, "%s%s", i && *steps[i] != '[' ? "." : "", steps[i]);
	va_start(arguments, format);
	if (vasprintf(&why, format, arguments) < 0)
		why = xstrdup("out of memory");
	va_end(arguments);
	command_fail(STATUS_USAGE, "%s:%zu: %s%s%s", source->name,
		     json_place_line(source->text, source->size, steps, count),
		     strbuf_text(&place), count ? ": " : "", why);
}

json_t *json_read(const struct json_source *source)
{
	json_error_t problem;
	json_t *root =
		json_loadb(source->text, source->size, JSON_REJECT_DUPLICATES, &problem);

	if (!root)
		command_fail(STATUS_USAGE, "%s:%d: is not JSON: %s", source->name,
			     problem.line > 0 ? problem.line : 1, problem.text);
	return root;
}
