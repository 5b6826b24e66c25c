/* SPDX-License-Identifier: MIT */
/* Escaping for Markdown. */
#include "analyzer/render/md_text.h"

#include "common/base/strbuf.h"
#include "common/base/utf8.h"

#include <string.h>

void md_put_escaped(FILE *out, const char *text)
{
	struct strbuf clean = {0};

	utf8_clean(&clean, text);
	for (const char *at = strbuf_text(&clean); *at; at++) {
		if (strchr("\\`*_[]<>|#~&", *at))
			fputc('\\', out);
		fputc(*at, out);
	}
	strbuf_free(&clean);
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
	struct strbuf clean = {0};

	utf8_clean(&clean, *text ? text : "\"\""); /* of nothing there is no code */
	put_fence(out, ticks + 1);
	fputs(space, out);
	for (const char *at = strbuf_text(&clean); *at; at++) {
		if (*at == '|' && in_table)
			fputc('\\', out);
		fputc(*at, out);
	}
	fputs(space, out);
	put_fence(out, ticks + 1);
	strbuf_free(&clean);
}
