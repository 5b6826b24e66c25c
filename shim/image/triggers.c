/* SPDX-License-Identifier: MIT */
/*
 * PROFSHIM_SNAPSHOT_AT: finds the addresses of the named functions in the symbol tables
 * of the objects that are recorded. Runs on: triggers_begin: the constructor;
 * triggers_look: traced threads, under the process lock, once for each object.
 *
 * A name is a linkage name (parse_line, _ZN6Parser4nextEv) or a C++ name without its
 * parameters (Parser::next: all its overloads; Parser::Parser: its constructors).
 */
#include "shim/image/triggers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim/core/name.h"
#include "shim/core/process.h"
#include "shim/image/object.h"
#include "shim/lane/functions.h"

#define NAME_LIMIT 16
#define NAME_BYTES 160

/* How linkage names of C++ begin: a function, a static one, a member, a const member. */
#define PREFIX_LIMIT 2

struct name {
	char text[NAME_BYTES]; /* as given, without ":enter" */
	char prefixes[PREFIX_LIMIT][NAME_BYTES + 64];
	char enter[NAME_BYTES + 16], exit[NAME_BYTES + 16]; /* labels; empty: none */
	uint32_t actions;				    /* TRIGGER_* */
	int is_found;
};

static struct name names[NAME_LIMIT];
static int name_count;

/* "Parser::next" to "6Parser4next". 0 when it does not fit. */
static int encode(const char *text, char *to, size_t size)
{
	size_t used = 0;

	to[0] = '\0';
	while (*text) {
		const char *end = strstr(text, "::");
		int length = (int)(end ? (size_t)(end - text) : strlen(text));
		int added =
			snprintf(to + used, size - used, "%d%.*s", length, length, text);

		if (added < 0 || (size_t)added >= size - used)
			return 0;
		used += (size_t)added;
		text += length + (end ? 2 : 0);
	}
	return 1;
}

/* The constructors of Parser: Parser::Parser to 6ParserC. */
static void encode_constructor(char *encoded)
{
	size_t length = strlen(encoded);

	for (size_t half = 1; half * 2 <= length; half++) {
		char *last = encoded + length - half;

		if (!strncmp(last - half, last, half) &&
		    strspn(last, "0123456789") + (size_t)atoi(last) == half) {
			strcpy(last, "C");
			return;
		}
	}
}

static void mangle(struct name *name)
{
	char encoded[NAME_BYTES + 32];
	int is_member = strstr(name->text, "::") != NULL;

	if (!encode(name->text, encoded, sizeof(encoded)))
		return;
	if (is_member)
		encode_constructor(encoded);
	snprintf(name->prefixes[0], sizeof(name->prefixes[0]), "%s%s",
		 is_member ? "_ZN" : "_Z", encoded);
	snprintf(name->prefixes[1], sizeof(name->prefixes[1]), "%s%s",
		 is_member ? "_ZNK" : "_ZL", encoded);
}

static struct name *name_of(const char *text, size_t length)
{
	struct name *name;

	for (int i = 0; i < name_count; i++) {
		if (strlen(names[i].text) == length &&
		    !strncmp(names[i].text, text, length))
			return &names[i];
	}
	if (name_count == NAME_LIMIT || length == 0 || length >= NAME_BYTES)
		return NULL;
	name = &names[name_count++];
	memcpy(name->text, text, length);
	mangle(name);
	return name;
}

/* One "FUNC:enter" or "FUNC:exit", which is the label, too. 0 when it is neither. */
static int read_item(const char *item, size_t length)
{
	static const char *const ends[] = {":enter", ":exit"};

	for (int i = 0; i < 2; i++) {
		size_t end = strlen(ends[i]);
		struct name *name;

		if (length <= end || strncmp(item + length - end, ends[i], end) != 0)
			continue;
		name = name_of(item, length - end);
		if (name)
			snprintf(i ? name->exit : name->enter, sizeof(name->enter),
				 "%.*s", (int)length, item);
		return name != NULL;
	}
	return 0;
}

int triggers_begin(const char *value)
{
	while (*value) {
		size_t length = strcspn(value, ",");

		if (!read_item(value, length)) {
			name_count = 0;
			return 0;
		}
		value += length + (value[length] == ',');
	}
	return 1;
}

int triggers_watch(const char *text, size_t length, uint32_t action)
{
	struct name *name = name_of(text, length);

	if (name)
		name->actions |= action;
	return name != NULL;
}

static int begins(const char *symbol, const char *prefix)
{
	size_t length = strlen(prefix);

	return length && !strncmp(symbol, prefix, length);
}

static int is_named(const struct name *name, const char *symbol)
{
	return !strcmp(symbol, name->text) || begins(symbol, name->prefixes[0]) ||
	       begins(symbol, name->prefixes[1]);
}

static void look_at(void *data, const struct symbols_function *function)
{
	(void)data;
	for (int n = 0; n < name_count; n++) {
		if (!is_named(&names[n], function->name))
			continue;
		names[n].is_found = 1;
		trigger_add(&(struct trigger){
			function->address, names[n].enter[0] ? names[n].enter : NULL,
			names[n].exit[0] ? names[n].exit : NULL, names[n].actions});
	}
}

static int all_are_found(void)
{
	for (int i = 0; i < name_count; i++) {
		if (!names[i].is_found)
			return 0;
	}
	return 1;
}

/* Objects come one by one: the note stands until all names have been found. */
static void note_missing(void)
{
	if (all_are_found())
		__atomic_fetch_and(&process->segment->notes, ~SEGMENT_NOTE_NO_FUNCTION,
				   __ATOMIC_RELAXED);
	else
		process_note(SEGMENT_NOTE_NO_FUNCTION);
}

uint32_t triggers_of_mark(const char *name)
{
	for (int i = 0; i < name_count; i++) {
		if (!(names[i].actions & TRIGGER_STUDY) ||
		    !name_is(names[i].text, name, sizeof(names[i].text)))
			continue;
		names[i].is_found = 1;
		note_missing();
		return TRIGGER_STUDY;
	}
	return 0;
}

void triggers_look(const struct segment_module *module)
{
	if (!name_count)
		return;
	symbols_each(module, look_at, NULL);
	note_missing();
}
