/* SPDX-License-Identifier: MIT */
/* Texts compared with names. Must not take longer than the texts are long: people paste
 * whole template names. */
#include "analyzer/model/meant.h"

#include "common/names/cxx_name.h"
#include "common/base/nearest.h"
#include "common/base/xalloc.h"
#include "analyzer/model/shorten.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The next mark of something left out, in either style; NULL: none. */
static const char *find_mark(const char *text, size_t *ret_size)
{
	const char *dots = strstr(text, shorten_ascii.ellipsis);
	const char *sign = strstr(text, shorten_utf8.ellipsis);
	const char *mark = !sign || (dots && dots < sign) ? dots : sign;

	if (mark)
		*ret_size = strlen(mark == dots ? shorten_ascii.ellipsis
						: shorten_utf8.ellipsis);
	return mark;
}

static const char *find_piece(const char *name, const char *piece, size_t size)
{
	return memmem(name, strlen(name), piece, size);
}

/* Is the text the name with something left out at its marks? */
static bool is_shortened(const char *text, const char *name)
{
	size_t mark_size = 0, size;
	const char *mark = find_mark(text, &mark_size);

	if (!mark || strncmp(text, name, (size_t)(mark - text)) != 0)
		return false;
	name += mark - text;
	for (;;) {
		text = mark + mark_size;
		mark = find_mark(text, &mark_size);
		if (!mark)
			break;
		size = (size_t)(mark - text);
		name = find_piece(name, text, size);
		if (!name)
			return false;
		name += size;
	}
	size = strlen(text);
	return strlen(name) >= size && strcmp(name + strlen(name) - size, text) == 0;
}

/* The end of the name's last part, without its template arguments. */
static const char *find_base_end(const struct cxx_name *parts)
{
	const char *at = parts->last;

	while (at < parts->parameters && *at != '<')
		at = cxx_name_is_operator(parts->name, at) ? cxx_name_skip_operator(at)
							   : at + 1;
	return at < parts->parameters ? at : parts->parameters;
}

static bool is_text(const char *text, const char *from, const char *end)
{
	size_t size = strlen(text);

	return size == (size_t)(end - from) && memcmp(text, from, size) == 0;
}

/* A part of the name from any "::" on. */
static bool is_tail(const char *text, const struct cxx_name *parts, const char *end)
{
	size_t size = strlen(text);

	return (size_t)(end - parts->name) > size + 1 && end[-(long)size - 1] == ':' &&
	       memcmp(end - size, text, size) == 0;
}

enum meant meant_judge(const char *text, const char *name, const char *full_name,
		       const char *linkage_name)
{
	struct cxx_name parts;
	const char *base;

	if (strcmp(name, text) == 0)
		return MEANT_NAME;
	if (full_name && strcmp(full_name, text) == 0)
		return MEANT_FULL;
	if (linkage_name && strcmp(linkage_name, text) == 0)
		return MEANT_LINKAGE;
	if (is_shortened(text, name) || (full_name && is_shortened(text, full_name)))
		return MEANT_SHORTENED;
	parts = cxx_name_parts(name);
	base = find_base_end(&parts);
	if (is_text(text, parts.name, parts.parameters) ||
	    is_text(text, parts.name, base))
		return MEANT_BASE;
	if (is_tail(text, &parts, base) || is_tail(text, &parts, parts.parameters) ||
	    is_tail(text, &parts, name + strlen(name)))
		return MEANT_LAST_PART;
	return strstr(name, text) || (full_name && strstr(full_name, text)) ? MEANT_PART
									    : MEANT_NOT;
}

unsigned meant_distance(const char *text, const char *name)
{
	struct cxx_name parts = cxx_name_parts(name);
	const char *end = find_base_end(&parts);
	char *base = xstrndup(parts.name, (size_t)(end - parts.name));
	char *last = xstrndup(parts.last, (size_t)(end - parts.last));
	unsigned whole = nearest_distance(text, base);
	unsigned part = nearest_distance(text, last);

	free(base);
	free(last);
	return whole < part ? whole : part;
}
