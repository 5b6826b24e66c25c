/* SPDX-License-Identifier: MIT */
/*
 * PROFSHIM_SNAPSHOT_AT: finds the addresses of the named functions in the symbol tables
 * of the objects that are recorded. Runs on: triggers_begin: the constructor;
 * triggers_look: traced threads, under the process lock, once for each object.
 *
 * A name is a linkage name (parse_line, _ZN6Parser4nextEv) or a C++ name without its
 * parameters (Parser::next: all its overloads; Parser::Parser: its constructors).
 */
#include "shim/image/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim/core/name.h"
#include "shim/core/process.h"
#include "shim/lane/functions.h"

#define NAME_LIMIT 16
#define NAME_BYTES 160

struct name {
	char text[NAME_BYTES]; /* as given, without ":enter" */
	char enter[NAME_BYTES + 16], exit[NAME_BYTES + 16]; /* labels; empty: none */
	uint32_t actions;				    /* TRIGGER_* */
	int is_found;
};

static struct name names[NAME_LIMIT];
static int name_count;

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

/* plain: of the symbol, up to where its template arguments begin. */
static int is_named(const struct name *name, const char *symbol, const char *plain)
{
	size_t length = strlen(name->text);

	return !strcmp(symbol, name->text) ||
	       (!strncmp(plain, name->text, length) &&
		(!plain[length] || !strcmp(plain + length, "<")));
}

static void look_at(void *data, const struct symbols_function *function)
{
	char plain[NAME_BYTES];

	(void)data;
	if (!plain_name(function->name, plain, sizeof(plain)))
		plain[0] = '\0';
	for (int n = 0; n < name_count; n++) {
		if (!is_named(&names[n], function->name, plain))
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
