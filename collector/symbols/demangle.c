/* SPDX-License-Identifier: MIT */
/*
 * The bridge to libiberty's demanglers. Must not trust the name: it comes from a file
 * that may be damaged.
 */
#include "collector/symbols/symbol.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
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

/* "_D3app4main6decodeFAyaZv" is app.main.decode: the names alone, without types and
 * template arguments. NULL: not one of D. Owned by the caller (free). */
static char *demangle_d_name(const char *name)
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

/* libiberty refuses C++ names of more than 1024 bytes unless its limits are lifted; then
 * its stack use grows with the name (about 64 bytes a character before the recursion), so
 * a limit of ours stands instead. Real template names end far below it. */
#define SAFE_LENGTH 1024

/* A name may refer to its own parts, and they to theirs: 100 bytes can stand for 2^30. */
#define LONGEST_READABLE 32768

/* What has been written so far. enough: where to go on when it is too much; libiberty has
 * allocated nothing while it writes. */
struct output {
	char *text;
	size_t used;
	jmp_buf enough;
};

static void append(const char *text, size_t size, void *context)
{
	struct output *output = context;

	if (size > LONGEST_READABLE - output->used)
		longjmp(output->enough, 1);
	memcpy(output->text + output->used, text, size);
	output->used += size;
}

/* Rust's legacy scheme is C++'s with a hash at the end: ...17h0123456789abcdefE */
static bool maybe_rust(const char *name)
{
	return strncmp(name, "_R", 2) == 0 || strstr(name, "17h") != NULL;
}

/* false: it is not mangled, or nothing that anybody could read. */
static bool write_readable(const char *name, int options, struct output *output)
{
	if (setjmp(output->enough))
		return false;
	if (maybe_rust(name) && rust_demangle_callback(name, options, append, output))
		return true;
	output->used = 0;
	return name[1] == 'Z' &&
	       cplus_demangle_v3_callback(name, options, append, output);
}

/* gfortran: __MODULE_MOD_PROCEDURE, as the language has no capitals. */
static char *demangle_fortran(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	size_t module;
	const char *mark;
	char *text;

	if (strncmp(name, "__", 2) != 0 || strnlen(name, SAFE_LENGTH) == SAFE_LENGTH)
		return NULL;
	module = strspn(name + 2, letters);
	mark = name + 2 + module - 1; /* at the "_" of "_MOD_" */
	if (module < 2 || strncmp(mark, "_MOD_", 5) != 0 || !mark[5] ||
	    !strchr(".@", mark[5 + strspn(mark + 5, letters)]))
		return NULL;
	if (asprintf(&text, "%.*s::%s", (int)module - 1, name + 2, mark + 5) < 0)
		return NULL;
	return text;
}

/* The demangler is only asked where there may be one: it takes time. */
static bool may_be_variant(const char *name)
{
	for (const char *at = strpbrk(name, "CD"); at; at = strpbrk(at + 1, "CD")) {
		const char *number = at[0] == 'C' && at[1] == 'I' ? at + 2 : at + 1;

		if (*number >= '0' && *number <= '4')
			return true;
	}
	return false;
}

enum demangle_variant demangle_variant(const char *name)
{
	if (strncmp(name, "_Z", 2) != 0 || strnlen(name, SAFE_LENGTH) == SAFE_LENGTH ||
	    !may_be_variant(name))
		return DEMANGLE_ONLY;
	switch (is_gnu_v3_mangled_ctor(name)) {
	case gnu_v3_complete_object_allocating_ctor:
		return DEMANGLE_MEMORY;
	case gnu_v3_complete_object_ctor:
		return DEMANGLE_WHOLE;
	case gnu_v3_base_object_ctor:
		return DEMANGLE_BASE;
	case gnu_v3_unified_ctor:
		return DEMANGLE_UNIFIED;
	default:
		break;
	}
	switch (is_gnu_v3_mangled_dtor(name)) {
	case gnu_v3_deleting_dtor:
		return DEMANGLE_MEMORY;
	case gnu_v3_complete_object_dtor:
		return DEMANGLE_WHOLE;
	case gnu_v3_base_object_dtor:
		return DEMANGLE_BASE;
	case gnu_v3_unified_dtor:
		return DEMANGLE_UNIFIED;
	default:
		return DEMANGLE_ONLY;
	}
}

char *demangle(const char *name)
{
	int options = DMGL_PARAMS | DMGL_ANSI;
	struct output output = {.text = NULL};
	size_t length;
	char *fitting;

	if (strncmp(name, "_D", 2) == 0)
		return demangle_d_name(name);
	if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0)
		return demangle_fortran(name);
	length = strnlen(name, LONGEST + 1);
	if (length > LONGEST)
		return NULL;
	if (length > SAFE_LENGTH)
		options |= DMGL_NO_RECURSE_LIMIT;
	output.text = malloc(LONGEST_READABLE + 1);
	if (!output.text || !write_readable(name, options, &output) || !output.used) {
		free(output.text);
		return NULL;
	}
	output.text[output.used] = '\0';
	fitting = realloc(output.text, output.used + 1);
	return fitting ? fitting : output.text;
}
