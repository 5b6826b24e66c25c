/* SPDX-License-Identifier: MIT */
/*
 * The qualified name at the start of a symbol of D: names with their lengths in front,
 * references to such a name, template instances. What follows are types.
 */
#include "collector/symbols/demangle_d.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 8192

struct reader {
	const char *start, *at, *end;
	char *text; /* as long as the name at least */
	size_t used;
};

static size_t read_length(const char **at, const char *end)
{
	size_t length = 0;

	while (*at < end && isdigit((unsigned char)**at) && length < LONGEST)
		length = 10 * length + (size_t)(*(*at)++ - '0');
	return length;
}

/* "3foo" at *at: false when it is longer than what is left. */
static bool take_name(struct reader *reader, const char **at)
{
	size_t length = read_length(at, reader->end);
	size_t room = LONGEST - reader->used;

	if (!length || length > (size_t)(reader->end - *at) || length + 1 > room)
		return false;
	if (reader->used)
		reader->text[reader->used++] = '.';
	memcpy(reader->text + reader->used, *at, length);
	reader->used += length;
	*at += length;
	return true;
}

/* "Qb": what stands so far back, in letters of base 26 of which the last is small. */
static bool take_reference(struct reader *reader)
{
	const char *from = reader->at++, *name;
	size_t back = 0;

	while (reader->at < reader->end && isupper((unsigned char)*reader->at) &&
	       back < LONGEST)
		back = 26 * back + (size_t)(*reader->at++ - 'A');
	if (reader->at == reader->end || !islower((unsigned char)*reader->at))
		return false;
	back = 26 * back + (size_t)(*reader->at++ - 'a');
	if (!back || back > (size_t)(from - reader->start))
		return false;
	name = from - back;
	return isdigit((unsigned char)*name) && take_name(reader, &name);
}

/* Behind the arguments of a template: behind the first Z, in no name, that another name
 * or the type of a function follows. */
static void skip_arguments(struct reader *reader)
{
	const char *at = reader->at;

	while (at < reader->end) {
		if (isdigit((unsigned char)*at)) {
			size_t length = read_length(&at, reader->end);

			at += length < (size_t)(reader->end - at)
				      ? length
				      : (size_t)(reader->end - at);
		} else if (*at++ == 'Z' && at < reader->end &&
			   (isdigit((unsigned char)*at) || strchr("QMFUWVR", *at))) {
			reader->at = at;
			return;
		}
	}
	reader->at = reader->end;
}

/* "__T3fooTiZ"; older compilers put its length in front. */
static bool take_instance(struct reader *reader)
{
	reader->at += 3;
	if (!take_name(reader, &reader->at))
		return false;
	skip_arguments(reader);
	return true;
}

static bool is_instance(const struct reader *reader, const char *at)
{
	return reader->end - at > 3 && strncmp(at, "__", 2) == 0 &&
	       (at[2] == 'T' || at[2] == 'U') && isdigit((unsigned char)at[3]);
}

static bool take_part(struct reader *reader)
{
	const char *behind = reader->at;

	if (*reader->at == 'Q')
		return take_reference(reader);
	if (is_instance(reader, reader->at))
		return take_instance(reader);
	(void)read_length(&behind, reader->end);
	if (is_instance(reader, behind)) {
		reader->at = behind;
		return take_instance(reader);
	}
	return take_name(reader, &reader->at);
}

char *demangle_d_name(const char *name)
{
	struct reader reader = {.start = name};
	char *fitting;

	if (strncmp(name, "_D", 2) != 0 || name[2] < '1' || name[2] > '9' ||
	    strnlen(name, LONGEST) == LONGEST)
		return NULL;
	reader.at = name + 2;
	reader.end = name + strlen(name);
	reader.text = malloc(LONGEST + 1);
	if (!reader.text)
		return NULL;
	while (reader.at < reader.end &&
	       (isdigit((unsigned char)*reader.at) || *reader.at == 'Q' ||
		is_instance(&reader, reader.at)))
		if (!take_part(&reader)) {
			free(reader.text);
			return NULL;
		}
	/* a name alone is "_D3foo": some C */
	if (!reader.used || reader.at == reader.end) {
		free(reader.text);
		return NULL;
	}
	reader.text[reader.used] = '\0';
	fitting = realloc(reader.text, reader.used + 1);
	return fitting ? fitting : reader.text;
}
