/* SPDX-License-Identifier: MIT */
/* Escaping for Markdown. */
#include "analyzer/render/md_text.h"

#include <string.h>

void md_put_escaped(FILE *out, const char *text)
{
	for (const char *at = text; *at; at++) {
		if (strchr("\\`*_[]<>|#~&", *at))
			fputc('\\', out);
		fputc(*at, out);
	}
}

static size_t longest_ticks(const char *text)
{
	size_t length = 0, longest = 0;

	for (; *text; text++) {
		length = *text == '`' ? length + 1 : 0;
		longest = length > longest ? length : longest;
	}
	return longest;
}

static void put_fence(FILE *out, size_t length)
{
	while (length-- > 0)
		fputc('`', out);
}

void md_put_code(FILE *out, const char *text, bool in_table)
{
	size_t ticks = longest_ticks(text);
	const char *space = ticks ? " " : "";

	put_fence(out, ticks + 1);
	fputs(space, out);
	/* of nothing there is no code */
	for (const char *at = *text ? text : "\"\""; *at; at++) {
		if (*at == '|' && in_table)
			fputc('\\', out);
		fputc(*at, out);
	}
	fputs(space, out);
	put_fence(out, ticks + 1);
}
