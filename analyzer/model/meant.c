/* SPDX-License-Identifier: MIT */
/* Compares texts with names. Must take linear time at most: people paste whole template
 * names. */
#include "analyzer/model/meant.h"

#include "common/names/cxx_name.h"
#include "common/names/short_name.h"
#include "common/base/options.h"
#include "common/base/text.h"
#include "common/base/xalloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether the text is the name with parts left out at its marks. */
static bool is_shortened(const char *text, const char *name)
{
	struct short_name *shortened;
	bool fits;

	if (!short_name_has_mark(text))
		return false;
	shortened = short_name_new(text);
	fits = shortened && short_name_fits(shortened, name, NULL);
	short_name_free(shortened);
	return fits;
}

/* Matches a name with characters that cannot be shown, which is pasted with their
 * replacements. */
static bool is_clean_name(const char *text, const char *name)
{
	ended_by(strbuf_free) struct strbuf clean = {0};
	bool fits;

	if (!strpbrk(text, "?\xef")) /* the replacements */
		return false;
	utf8_clean(&clean, name);
	fits = strcmp(strbuf_text(&clean), text) == 0;
	return fits;
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

/* Whether the text is a part of the name that begins at the start or after a "::". */
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

	if (strcmp(name, text) == 0 || is_clean_name(text, name))
		return MEANT_NAME;
	if (full_name && strcmp(full_name, text) == 0)
		return MEANT_FULL;
	if (linkage_name && strcmp(linkage_name, text) == 0)
		return MEANT_LINKAGE;
	if (is_shortened(text, name))
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
	auto_free char *base = xstrndup(parts.name, (size_t)(end - parts.name));
	auto_free char *last = xstrndup(parts.last, (size_t)(end - parts.last));
	unsigned whole = nearest_distance(text, base);
	unsigned part = nearest_distance(text, last);

	return whole < part ? whole : part;
}
