/* SPDX-License-Identifier: MIT */
/* Values of json documents, and how they are written. */
#include "analyzer/render/json_value.h"

#include "common/base/text.h"
#include "common/plain_text.h"
#include "analyzer/model/table.h"

#include <math.h>
#include <string.h>

json_t *json_must(json_t *value)
{
	if (value)
		return value;
	fputs("prof-analyze: out of memory\n", stderr);
	exit(1);
}

json_t *json_text(const char *text)
{
	ended_by(strbuf_free) struct strbuf repaired = {0};
	json_t *value;

	if (!text)
		return json_must(json_null());
	utf8_repair(&repaired, text);
	value = json_must(json_string(strbuf_text(&repaired)));
	return value;
}

json_t *json_figure(double value)
{
	return json_must(isfinite(value) ? json_real(value) : json_null());
}

json_t *json_chain(const char *chain)
{
	json_t *array = json_must(json_array());
	ended_by(strbuf_free) struct strbuf name = {0};

	while (*chain) {
		size_t size = strcspn(chain, "\x1f");

		strbuf_reset(&name);
		strbuf_add(&name, chain, size);
		json_array_append_new(array, json_text(strbuf_text(&name)));
		chain += size;
		if (*chain == TABLE_CHAIN_END)
			chain++;
	}
	return array;
}

/* UTF-16, as JSON escapes it */
static void put_escape(FILE *out, uint32_t character)
{
	if (character < 0x10000) {
		fprintf(out, "\\u%04x", character);
		return;
	}
	character -= 0x10000;
	fprintf(out, "\\u%04x\\u%04x", 0xd800 + (character >> 10),
		0xdc00 + (character & 0x3ff));
}

/* jansson passes whole characters, and only strings have more than ASCII. Newlines
 * between values stay. */
static int put_visible(const char *text, size_t size, void *data)
{
	FILE *out = data;

	for (size_t at = 0; at < size;) {
		uint32_t character;
		size_t length = plain_text_next(text + at, size - at, &character);

		if (character != '\n' && plain_text_is_hidden(character))
			put_escape(out, character);
		else
			fwrite(text + at, 1, length, out);
		at += length;
	}
	return 0;
}

void json_write(json_t *value, FILE *out, size_t flags)
{
	json_dump_callback(value, put_visible, out, flags);
}
