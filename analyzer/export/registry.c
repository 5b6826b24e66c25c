/* SPDX-License-Identifier: MIT */
/* The list of formats for other programs. */
#include <string.h>

#include "analyzer/export/export.h"
#include "common/plain_text.h"

/* Exports that are .sql files: the rows of their table are the lines, each of JSON. */

/* SQLite leaves characters in JSON strings that a terminal would hide or obey; this
 * escapes them. */
static void put_character(FILE *out, const char *text, size_t length, uint32_t character)
{
	if (character == PLAIN_TEXT_REPLACEMENT)
		fputs("\xef\xbf\xbd", out);
	else if (!plain_text_is_hidden(character))
		fwrite(text, 1, length, out);
	else if (character < 0x10000)
		fprintf(out, "\\u%04x", character);
	else
		fprintf(out, "\\u%04x\\u%04x", 0xd7c0 + (character >> 10),
			0xdc00 + (character & 0x3ff));
}

static void write_line(FILE *out, const char *text)
{
	size_t left = strlen(text), length;
	uint32_t character;

	for (; left; text += length, left -= length) {
		length = plain_text_next(text, left, &character);
		put_character(out, text, length, character);
	}
	putc('\n', out);
}

static void write_lines(const struct doc *doc, const struct export_context *context)
{
	const struct section *section;

	for (size_t i = 0; i < doc->section_count; i++) {
		section = &doc->sections[i];
		for (size_t j = 0; section->table && j < section->table->row_count; j++)
			write_line(context->out, table_row(section->table, j)->text);
	}
}

const struct exporter exporter_lines = {.write = write_lines};

extern const struct exporter exporter_callgrind;
extern const struct exporter exporter_chrome;
extern const struct exporter exporter_folded;
extern const struct exporter exporter_pprof;
extern const struct exporter exporter_speedscope;
extern const struct exporter exporter_svg;

const struct exporter *const exporter_registry[] = {
	&exporter_folded,    &exporter_pprof,  &exporter_speedscope,
	&exporter_callgrind, &exporter_chrome, &exporter_svg,
};
const size_t exporter_registry_count =
	sizeof(exporter_registry) / sizeof(exporter_registry[0]);
