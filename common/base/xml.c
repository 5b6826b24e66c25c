/* SPDX-License-Identifier: MIT */
/* Escaping for XML. Must not trust that names are text: they come from symbol tables. */
#include "common/base/xml.h"

#include "common/base/utf8.h"
#include "common/plain_text.h"

#include <string.h>

static const char *entity(uint32_t character)
{
	switch (character) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case 0xfffe:
	case 0xffff:
		return "\xef\xbf\xbd";
	default:
		return NULL;
	}
}

void xml_escape(struct strbuf *buffer, const char *text)
{
	struct strbuf clean = {0};
	const char *at;

	utf8_clean(&clean, text);
	at = strbuf_text(&clean);
	for (size_t left = clean.size; left > 0;) {
		uint32_t character;
		size_t length = plain_text_next(at, left, &character);
		const char *instead = entity(character);

		if (instead)
			strbuf_puts(buffer, instead);
		else
			strbuf_add(buffer, at, length);
		at += length;
		left -= length;
	}
	strbuf_free(&clean);
}
